/* shot.h - pictures of a demonstration, in files. */
#ifndef FREEDOOM_SHOT_H
#define FREEDOOM_SHOT_H

#include "demo.h"

/* Writes the pictures that are due after a frame: to out/play-*.png. */
bool shot_take_due(Demo* demo, const Play* play, Fault* fault);

/* Writes each `interval`-th frame: to out/play-00001.png and so on, by the frame's number. */
bool shot_record(const Demo* demo, const Play* play, uint32_t interval, Fault* fault);

#endif
