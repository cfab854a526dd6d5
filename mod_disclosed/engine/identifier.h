/* Check digits of securities' and entities' identifiers: ISIN, CUSIP, SEDOL, FIGI, LEI. */
#ifndef DSC_IDENTIFIER_H
#define DSC_IDENTIFIER_H

/* Each takes the identifier without its check digit, in upper case, and returns the digit, or
 * '\0' if the text has another length or a character that the identifier cannot have. */

/* ISO 6166: country code and nine letters or digits; Luhn's sum over the letters as numbers. */
char dsc_isin_check_digit(const char *body);

/* ANSI X9.6: eight letters, digits or * @ #; every second value doubled, digits summed. */
char dsc_cusip_check_digit(const char *body);

/* London Stock Exchange: six letters or digits, weights 1 3 1 7 3 9. */
char dsc_sedol_check_digit(const char *body);

/* Financial Instrument Global Identifier: eleven consonants or digits, the sum of a CUSIP. */
char dsc_figi_check_digit(const char *body);

/* ISO 17442: writes the two check digits of an LEI's eighteen letters or digits, and a NUL, into
 * `digits` (ISO 7064 MOD 97-10); 0 if the text is no such body. */
int dsc_lei_check_digits(const char *body, char digits[3]);

/* Whether the text is a whole identifier with its right check digit. */
int dsc_isin_valid(const char *isin);
int dsc_cusip_valid(const char *cusip);
int dsc_figi_valid(const char *figi);
int dsc_lei_valid(const char *lei);

#endif
