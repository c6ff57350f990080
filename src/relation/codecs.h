/* codecs.h: the codecs of this layer's types. */
#ifndef SETTI_CODECS_H
#define SETTI_CODECS_H

#include "world/codec.h"

extern const setti_codec setti_hierarchy_codec;
extern const setti_codec setti_name_codec;
extern const setti_codec setti_link_codec;   /* of one target: a source's value */
extern const setti_codec setti_links_codec;  /* of many */
extern const setti_codec setti_target_codec; /* that an entity has the list of a target */

#endif
