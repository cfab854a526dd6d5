/* EDGAR's state and country codes. */
#ifndef DSC_EDGAR_COUNTRY_H
#define DSC_EDGAR_COUNTRY_H

/* The country (ISO 3166-1 alpha-2) of a code of EDGAR's list "State and Country Codes", in which
 * two letters are a state of the USA and most countries have a letter and a digit. NULL for codes
 * that are not in the list. */
const char *dsc_edgar_country(const char *code);

#endif
