/* The figures of a row of short interest that FINRA computes of others in it: they show whether the
 * row is what FINRA wrote. */
#ifndef DSC_SHORT_INTEREST_FIGURES_H
#define DSC_SHORT_INTEREST_FIGURES_H

/* As stated, digits without separators between thousands; NULL if a file does not state one. */
typedef struct {
    const char *current, *previous, *volume; /* positions, and average volume of a day */
    const char *days, *change, *difference;  /* to cover; in percent; in shares */
} dsc_short_figures_t;

typedef enum {
    DSC_SHORT_CURRENT,
    DSC_SHORT_PREVIOUS,
    DSC_SHORT_DAYS,
    DSC_SHORT_CHANGE,
    DSC_SHORT_DIFFERENCE
} dsc_short_figure_t;

/* Whether the figure that is stated is another than that which FINRA computes of the others. */
int dsc_short_figures_contradict(const dsc_short_figures_t *figures, dsc_short_figure_t figure);

/* Whether the other figures show that this one is complete: 44 is not, if the difference from the
 * previous position is that of 4439003. FINRA clips days to cover to 1.00 and 999.99, has 999.99
 * if there is no volume, and a change of 100.00 if there was no position. */
int dsc_short_figures_confirm(const dsc_short_figures_t *figures, dsc_short_figure_t figure);

#endif
