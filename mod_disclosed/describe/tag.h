/* Tags: the groups that operations are shown in. */
#ifndef DSC_TAG_H
#define DSC_TAG_H

/* What the group is about; NULL: there is no such tag. */
const char *dsc_tag_description(const char *name);

#endif
