/* codecs.h: the codecs of this layer's types. */
#ifndef SETTI_CODECS_H
#define SETTI_CODECS_H

#include "world/codec.h"

extern const setti_codec setti_hierarchy_codec;
extern const setti_codec setti_name_codec;
extern const setti_codec setti_link_codec;   /* the link of a source, if links are exclusive */
extern const setti_codec setti_links_codec;  /* the links of a source that may have many targets */
extern const setti_codec setti_target_codec; /* "sources": has only that an entity is a target */

#endif
