#include "sources/congress/politician_name.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>

static const struct {
    const char *text, *first, *last, *slug;
} names[] = {
    {"Thomas R Carper", "Thomas R", "Carper", "thomas-carper"},
    {"David A Perdue , Jr", "David A", "Perdue", "david-perdue"},
    {"William F Hagerty, IV", "William F", "Hagerty", "william-hagerty"},
    {"Hagerty, Bill (Senator)", "Bill", "Hagerty", "william-hagerty"},
    {"Casey, Robert P. Jr. (Senator)", "Robert P.", "Casey", "robert-casey"},
    {"Joseph Manchin, Iii", "Joseph", "Manchin", "joseph-manchin"},
    {"A. Mitchell Mcconnell, Jr.", "A. Mitchell", "McConnell", "mitchell-mcconnell"},
    {"Jerry Moran,", "Jerry", "Moran", "jerry-moran"},
    {"Michael  B Enzi", "Michael B", "Enzi", "michael-enzi"},
    {"Rafael Edward (Ted) Cruz", "Rafael Edward (Ted)", "Cruz", "rafael-cruz"},
    {"Chris Van Hollen", "Chris", "Van Hollen", "christopher-van-hollen"},
    {"RONALD L  WYDEN", "Ronald L", "Wyden", "ronald-wyden"},
    {"Ron Wyden", "Ron", "Wyden", "ronald-wyden"},
    {"Hon. Nancy Pelosi", "Nancy", "Pelosi", "nancy-pelosi"},
    {"Neal Patrick MD, Facs Dunn", "Neal Patrick", "Dunn", "neal-dunn"},
    {"Dunn, Neal P. MD, FACS", "Neal P.", "Dunn", "neal-dunn"},
    {"Guy Mr Reschenthaler", "Guy", "Reschenthaler", "guy-reschenthaler"},
    {"BETO O'ROURKE", "Beto", "O'Rourke", "beto-orourke"},
    {"Alexandria Ocasio-Cortez", "Alexandria", "Ocasio-Cortez", "alexandria-ocasio-cortez"},
    {"Ben Ray Luj\xC3\xA1n", "Ben Ray", "Luj\xC3\xA1n", "benjamin-lujan"},
    {"Nydia M. Vel\xC3\xA1zquez", "Nydia M.", "Vel\xC3\xA1zquez", "nydia-velazquez"},
    {"Ladda Tammy Duckworth", "Ladda Tammy", "Duckworth", "tammy-duckworth"},
    {"Duckworth, Tammy (Senator)", "Tammy", "Duckworth", "tammy-duckworth"},
    {"Ted Cruz", "Ted", "Cruz", "rafael-cruz"},
    {"Ted Made", "Ted", "Made", "ted-made"},
    {"J.D. Vance", "J.D.", "Vance", "jd-vance"},
    {"T.J. Cox", "T.J.", "Cox", "tj-cox"},
    {"Cher", "", "Cher", "cher"},
    {"Debbie Wasserman Schultz", "Debbie", "Wasserman Schultz", "deborah-schultz"},
    {"Hon. DEBBIE WASSERMAN SCHULTZ", "Debbie", "Wasserman Schultz", "deborah-schultz"},
    {"Wasserman Schultz, Debbie", "Debbie", "Wasserman Schultz", "deborah-schultz"},
    {"April McClain Delaney", "April", "McClain Delaney", "april-delaney"},
    {"Jackson Lee", "Jackson", "Lee", "jackson-lee"},
    {"Justice II,  James Conley", "James Conley", "Justice", "james-justice"},
    {"Justice, II, James Conley", "James Conley", "Justice", "james-justice"},
    {"Justice, James Conley II", "James Conley", "Justice", "james-justice"},
    {"Justice, James Conley, II", "James Conley", "Justice", "james-justice"},
    {"James C. Justice II", "James C.", "Justice", "james-justice"},
    {"King Jr., Angus S.", "Angus S.", "King", "angus-king"},
    {"King, Jr., Angus S. (Senator)", "Angus S.", "King", "angus-king"},
    {"Angus S King, Jr.", "Angus S", "King", "angus-king"},
    {"Manchin III, Joseph", "Joseph", "Manchin", "joseph-manchin"},
    {"Manchin III, Hon. Joseph", "Joseph", "Manchin", "joseph-manchin"},
    {"MANCHIN III, JOSEPH", "Joseph", "Manchin", "joseph-manchin"},
    {"Kean Jr, Thomas H.", "Thomas H.", "Kean", "thomas-kean"},
    {"Hon. Thomas H. Kean Jr", "Thomas H.", "Kean", "thomas-kean"},
    {"Hon. Rudy C. Yakym, III", "Rudy C.", "Yakym", "rudy-yakym"},
    {"Yakym III, Rudy", "Rudy", "Yakym", "rudy-yakym"},
    {"Van Hollen Jr., Chris", "Chris", "Van Hollen", "christopher-van-hollen"},
    {"Dunn MD, FACS, Neal P.", "Neal P.", "Dunn", "neal-dunn"},
    {"Dunn, M.D., Neal P.", "Neal P.", "Dunn", "neal-dunn"},
    {"Made V, Robert", "Robert", "Made", "robert-made"},
    {"Robert V. Made 3rd", "Robert V.", "Made", "robert-made"},
    {"Robert Made V", "Robert", "Made", "robert-made"},
    {"Made, Robert V", "Robert V", "Made", "robert-made"},
    {"Scott Scott Franklin", "Scott Scott", "Franklin", "scott-franklin"},
    {"Hon. C. Scott Franklin", "C. Scott", "Franklin", "scott-franklin"},
    {"Charles J. \"Chuck\" Fleischmann", "Charles J. \"Chuck\"", "Fleischmann",
     "charles-fleischmann"},
};

static void test_names(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        dsc_politician_name_t name;
        CU_ASSERT_TRUE_FATAL(dsc_politician_name(dsc_pool, names[i].text, &name));
        CU_ASSERT_STRING_EQUAL(name.first, names[i].first);
        CU_ASSERT_STRING_EQUAL(name.last, names[i].last);
        CU_ASSERT_STRING_EQUAL(dsc_politician_slug(dsc_pool, &name, 0, NULL), names[i].slug);
    }
}

static void test_no_names(void)
{
    static const char *const none[] = {"", " ", ",", "Mr.", "Hon. , Jr.", "--", "()"};

    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        dsc_politician_name_t name;
        CU_ASSERT_FALSE(dsc_politician_name(dsc_pool, none[i], &name));
    }
}

/* Surname and given names apart keep a surname of several words; the slug is the same all the
 * same. */
static void test_parts(void)
{
    dsc_politician_name_t parts, whole;

    CU_ASSERT_TRUE_FATAL(dsc_politician_name_of(dsc_pool, "CATHERINE ", "CORTEZ MASTO", &parts));
    CU_ASSERT_TRUE_FATAL(dsc_politician_name(dsc_pool, "Catherine Cortez Masto", &whole));
    CU_ASSERT_STRING_EQUAL(parts.first, "Catherine");
    CU_ASSERT_STRING_EQUAL(parts.last, "Cortez Masto");
    CU_ASSERT_STRING_EQUAL(dsc_politician_slug(dsc_pool, &parts, 0, NULL),
                           dsc_politician_slug(dsc_pool, &whole, 0, NULL));
    CU_ASSERT_TRUE_FATAL(dsc_politician_name_of(dsc_pool, "David A", "Perdue , Jr", &parts));
    CU_ASSERT_STRING_EQUAL(parts.last, "Perdue");
    CU_ASSERT_TRUE_FATAL(dsc_politician_name_of(dsc_pool, "James Conley", "Justice II,", &parts));
    CU_ASSERT_STRING_EQUAL(parts.first, "James Conley");
    CU_ASSERT_STRING_EQUAL(parts.last, "Justice");
    CU_ASSERT_STRING_EQUAL(dsc_politician_slug(dsc_pool, &parts, 0, NULL), "james-justice");
    CU_ASSERT_TRUE_FATAL(dsc_politician_name_of(dsc_pool, "Neal Patrick MD, Facs", "Dunn", &parts));
    CU_ASSERT_STRING_EQUAL(parts.first, "Neal Patrick");
    CU_ASSERT_FALSE(dsc_politician_name_of(dsc_pool, "John", "", &parts));
}

static void test_representatives(void)
{
    dsc_politician_name_t name;

    CU_ASSERT_TRUE_FATAL(dsc_politician_name(dsc_pool, "Mike Rogers", &name));
    CU_ASSERT_STRING_EQUAL(dsc_politician_slug(dsc_pool, &name, 1, "AL03"), "michael-rogers-al");
    CU_ASSERT_STRING_EQUAL(dsc_politician_slug(dsc_pool, &name, 1, "MI08"), "michael-rogers-mi");
    CU_ASSERT_STRING_EQUAL(dsc_politician_slug(dsc_pool, &name, 1, NULL), "michael-rogers-house");
    CU_ASSERT_STRING_EQUAL(dsc_politician_slug(dsc_pool, &name, 1, "7"), "michael-rogers-house");
}

void dsc_suite_politician_name(void)
{
    CU_pSuite suite = CU_add_suite("names of politicians", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "names", test_names);
    CU_add_test(suite, "what is no name", test_no_names);
    CU_add_test(suite, "given names and surname apart", test_parts);
    CU_add_test(suite, "representatives", test_representatives);
}
