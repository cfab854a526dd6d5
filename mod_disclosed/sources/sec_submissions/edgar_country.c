/* EDGAR's state and country codes. */
#include "sources/sec_submissions/edgar_country.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char code[3];
    char country[3];
} edgar_code_t;

/* Ordered by code. */
static const edgar_code_t codes[] = {
    {"1A", "AI"}, {"1B", "AM"}, {"1C", "AW"}, {"1D", "AZ"}, {"1E", "BA"}, {"1F", "BY"},
    {"1G", "DJ"}, {"1H", "EE"}, {"1J", "ER"}, {"1K", "FM"}, {"1L", "GS"}, {"1M", "HR"},
    {"1N", "KG"}, {"1P", "KZ"}, {"1Q", "LT"}, {"1R", "LV"}, {"1S", "MD"}, {"1T", "MH"},
    {"1U", "MK"}, {"1V", "MP"}, {"1W", "NC"}, {"1X", "PS"}, {"1Y", "PW"}, {"1Z", "RU"},
    {"2A", "SI"}, {"2B", "SK"}, {"2C", "TF"}, {"2D", "TJ"}, {"2E", "TM"}, {"2G", "TV"},
    {"2H", "UA"}, {"2J", "UM"}, {"2K", "UZ"}, {"2L", "VU"}, {"2M", "DE"}, {"2N", "CZ"},
    {"2P", "YT"}, {"2Q", "GE"}, {"A0", "CA"}, {"A1", "CA"}, {"A2", "CA"}, {"A3", "CA"},
    {"A4", "CA"}, {"A5", "CA"}, {"A6", "CA"}, {"A7", "CA"}, {"A8", "CA"}, {"A9", "CA"},
    {"AK", "US"}, {"AL", "US"}, {"AR", "US"}, {"AZ", "US"}, {"B0", "CA"}, {"B1", "BW"},
    {"B2", "AF"}, {"B3", "AL"}, {"B4", "DZ"}, {"B5", "AS"}, {"B6", "AD"}, {"B7", "AO"},
    {"B8", "AQ"}, {"B9", "AG"}, {"C0", "AE"}, {"C1", "AR"}, {"C3", "AU"}, {"C4", "AT"},
    {"C5", "BS"}, {"C6", "BH"}, {"C7", "BD"}, {"C8", "BB"}, {"C9", "BE"}, {"CA", "US"},
    {"CO", "US"}, {"CT", "US"}, {"D0", "BM"}, {"D1", "BZ"}, {"D2", "BT"}, {"D3", "BO"},
    {"D4", "BV"}, {"D5", "BR"}, {"D6", "IO"}, {"D7", "SB"}, {"D8", "VG"}, {"D9", "BN"},
    {"DC", "US"}, {"DE", "US"}, {"E0", "BG"}, {"E1", "MM"}, {"E2", "BI"}, {"E3", "KH"},
    {"E4", "CM"}, {"E8", "CV"}, {"E9", "KY"}, {"F0", "CF"}, {"F1", "LK"}, {"F2", "TD"},
    {"F3", "CL"}, {"F4", "CN"}, {"F5", "TW"}, {"F6", "CX"}, {"F7", "CC"}, {"F8", "CO"},
    {"F9", "KM"}, {"FL", "US"}, {"G0", "CG"}, {"G1", "CK"}, {"G2", "CR"}, {"G3", "CU"},
    {"G4", "CY"}, {"G6", "BJ"}, {"G7", "DK"}, {"G8", "DO"}, {"G9", "DM"}, {"GA", "US"},
    {"GU", "GU"}, {"H1", "EC"}, {"H2", "EG"}, {"H3", "SV"}, {"H4", "GQ"}, {"H5", "ET"},
    {"H6", "FO"}, {"H7", "FK"}, {"H8", "FJ"}, {"H9", "FI"}, {"HI", "US"}, {"I0", "FR"},
    {"I3", "GF"}, {"I4", "PF"}, {"I5", "GA"}, {"I6", "GM"}, {"IA", "US"}, {"ID", "US"},
    {"IL", "US"}, {"IN", "US"}, {"J0", "GH"}, {"J1", "GI"}, {"J2", "KI"}, {"J3", "GR"},
    {"J4", "GL"}, {"J5", "GD"}, {"J6", "GP"}, {"J8", "GT"}, {"J9", "GN"}, {"K0", "GY"},
    {"K1", "HT"}, {"K2", "HN"}, {"K3", "HK"}, {"K4", "HM"}, {"K5", "HU"}, {"K6", "IS"},
    {"K7", "IN"}, {"K8", "ID"}, {"K9", "IR"}, {"KS", "US"}, {"KY", "US"}, {"L0", "IQ"},
    {"L2", "IE"}, {"L3", "IL"}, {"L6", "IT"}, {"L7", "CI"}, {"L8", "JM"}, {"L9", "SJ"},
    {"LA", "US"}, {"M0", "JP"}, {"M2", "JO"}, {"M3", "KE"}, {"M4", "KP"}, {"M5", "KR"},
    {"M6", "KW"}, {"M7", "LA"}, {"M8", "LB"}, {"M9", "LS"}, {"MA", "US"}, {"MD", "US"},
    {"ME", "US"}, {"MI", "US"}, {"MN", "US"}, {"MO", "US"}, {"MS", "US"}, {"MT", "US"},
    {"N0", "LR"}, {"N1", "LY"}, {"N2", "LI"}, {"N4", "LU"}, {"N5", "MO"}, {"N6", "MG"},
    {"N7", "MW"}, {"N8", "MY"}, {"N9", "MV"}, {"NC", "US"}, {"ND", "US"}, {"NE", "US"},
    {"NH", "US"}, {"NJ", "US"}, {"NM", "US"}, {"NV", "US"}, {"NY", "US"}, {"O0", "ML"},
    {"O1", "MT"}, {"O2", "MQ"}, {"O3", "MR"}, {"O4", "MU"}, {"O5", "MX"}, {"O9", "MC"},
    {"OH", "US"}, {"OK", "US"}, {"OR", "US"}, {"P0", "MN"}, {"P1", "MS"}, {"P2", "MA"},
    {"P3", "MZ"}, {"P4", "OM"}, {"P5", "NR"}, {"P6", "NP"}, {"P7", "NL"}, {"PA", "US"},
    {"PR", "PR"}, {"Q1", "VN"}, {"Q2", "NZ"}, {"Q3", "NI"}, {"Q4", "NE"}, {"Q5", "NG"},
    {"Q6", "NU"}, {"Q7", "NF"}, {"Q8", "NO"}, {"R0", "PK"}, {"R1", "PA"}, {"R2", "PG"},
    {"R4", "PY"}, {"R5", "PE"}, {"R6", "PH"}, {"R8", "PN"}, {"R9", "PL"}, {"RI", "US"},
    {"S0", "GW"}, {"S1", "PT"}, {"S3", "QA"}, {"S4", "RE"}, {"S5", "RO"}, {"S6", "RW"},
    {"S8", "SM"}, {"S9", "ST"}, {"SC", "US"}, {"SD", "US"}, {"T0", "SA"}, {"T1", "SN"},
    {"T2", "SC"}, {"T3", "ZA"}, {"T6", "NA"}, {"T7", "YE"}, {"T8", "SL"}, {"TN", "US"},
    {"TX", "US"}, {"U0", "SG"}, {"U1", "SO"}, {"U3", "ES"}, {"U5", "EH"}, {"U7", "KN"},
    {"U8", "SH"}, {"U9", "LC"}, {"UT", "US"}, {"V0", "PM"}, {"V1", "VC"}, {"V2", "SD"},
    {"V3", "SR"}, {"V6", "SZ"}, {"V7", "SE"}, {"V8", "CH"}, {"V9", "SY"}, {"VA", "US"},
    {"VI", "VI"}, {"VT", "US"}, {"W0", "TZ"}, {"W1", "TH"}, {"W2", "TG"}, {"W3", "TK"},
    {"W4", "TO"}, {"W5", "TT"}, {"W6", "TN"}, {"W7", "TC"}, {"W8", "TR"}, {"W9", "UG"},
    {"WA", "US"}, {"WI", "US"}, {"WV", "US"}, {"WY", "US"}, {"X0", "GB"}, {"X1", "US"},
    {"X2", "BF"}, {"X3", "UY"}, {"X4", "VA"}, {"X5", "VE"}, {"X8", "WF"}, {"Y0", "WS"},
    {"Y3", "CD"}, {"Y4", "ZM"}, {"Y5", "ZW"}, {"Y6", "AX"}, {"Y7", "GG"}, {"Y8", "IM"},
    {"Y9", "JE"}, {"Z0", "BL"}, {"Z1", "MF"}, {"Z2", "RS"}, {"Z3", "TL"}, {"Z4", "CA"},
    {"Z5", "ME"},
};

static int compare_codes(const void *left, const void *right)
{
    return strcmp(left, ((const edgar_code_t *)right)->code);
}

const char *dsc_edgar_country(const char *code)
{
    const edgar_code_t *found;

    if (!code) {
        return NULL;
    }
    found = bsearch(code, codes, sizeof(codes) / sizeof(codes[0]), sizeof(codes[0]), compare_codes);
    return found ? found->country : NULL;
}
