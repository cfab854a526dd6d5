/* What insiders do with their securities: each event changes balances and adds transactions. */
#include "ctl/demo.h"

#include <string.h>

#define RESTRICTED_UNITS "Restricted Stock Units"
#define OPTIONS          "Employee Stock Option (Right to Buy)"
#define PREFERRED        "Series A Convertible Preferred Stock"
#define WARRANTS         "Warrants (Right to Buy)"

enum {
    PRICE_UNKNOWN = -1,
    NO_STRIKE = -1,
    CENT = DSC_DEMO_PRICE_SCALE / 100
};

typedef struct {
    dsc_demo_company_t *company;
    dsc_demo_random_t *random;
    dsc_demo_report_t *report;
    dsc_demo_person_t *person;
    int day;
    int64_t price; /* of a share on that day */
} event_t;

static dsc_demo_transaction_t *add_row(event_t *event, const char *code, char acquired_disposed,
                                       const char *title, int64_t shares, int64_t price)
{
    dsc_demo_transaction_t *row = apr_array_push(event->report->rows);
    memset(row, 0, sizeof(*row));
    row->code = code;
    row->acquired_disposed = acquired_disposed;
    row->title = title;
    row->day = event->day;
    row->shares = shares;
    row->price = price;
    row->strike = NO_STRIKE;
    return row;
}

static dsc_demo_transaction_t *move_shares(event_t *event, const char *code, char acquired_disposed,
                                           int64_t shares, int64_t price)
{
    dsc_demo_transaction_t *row =
        add_row(event, code, acquired_disposed, event->company->share_title, shares, price);
    event->person->direct += acquired_disposed == 'A' ? shares : -shares;
    row->after = event->person->direct;
    return row;
}

static dsc_demo_transaction_t *move_derivative(event_t *event, const char *code,
                                               char acquired_disposed, const char *title,
                                               int64_t units, int64_t *balance)
{
    dsc_demo_transaction_t *row = add_row(event, code, acquired_disposed, title, units, 0);
    *balance += acquired_disposed == 'A' ? units : -units;
    row->after = *balance;
    row->is_derivative = 1;
    row->underlying = event->company->share_title;
    return row;
}

static void set_option(dsc_demo_transaction_t *row, const dsc_demo_option_t *option)
{
    row->strike = option->strike;
    row->exercise_day = option->exercise_day;
    row->expiration_day = option->expiration_day;
}

static void annotate(dsc_demo_transaction_t *row, const char *field, const char *footnote)
{
    row->footnote = footnote;
    row->footnote_field = field;
}

/* ---------------------------------------------------------------- on the market */

/* Near the day's price, in whole cents; some are averages of many trades, in hundredths of one. */
static int64_t trade_price(event_t *event, const char **footnote)
{
    int64_t price = event->price + event->price * dsc_demo_between(event->random, -90, 90) / 10000;
    if (dsc_demo_chance(event->random, 15)) {
        *footnote = "The price reported is a weighted average price. The shares were traded in "
                    "multiple transactions on the same day.";
        return price;
    }
    return price / CENT * CENT;
}

/* Trades `shares` in lots; a large order goes on into the next business day. */
static int trade(event_t *event, const char *code, char acquired_disposed, int64_t shares, int lots)
{
    int64_t rest = shares;
    int first_day = event->day;
    for (int i = 0; i < lots; i++) {
        int64_t lot = i == lots - 1 ? rest : shares / lots / 10 * 10;
        const char *footnote = NULL;
        int64_t price;
        if (i == 3) {
            event->day = dsc_business_day(first_day + 1);
            event->price = dsc_demo_price(event->company, event->day);
        }
        price = trade_price(event, &footnote);
        annotate(move_shares(event, code, acquired_disposed, lot, price), "price", footnote);
        rest -= lot;
    }
    return lots;
}

static int sell(event_t *event)
{
    int64_t shares = event->person->direct * dsc_demo_between(event->random, 2, 12) / 100;
    if (shares < 100) {
        return 0;
    }
    return trade(event, "S", 'D', shares, dsc_demo_number(event->random, 1, 8));
}

/* For 5 to 400 thousand dollars; a large holder spends fifty times as much. */
static int buy(event_t *event)
{
    int64_t dollars =
        dsc_demo_between(event->random, 5, 400) * 1000 * (event->person->role->is_owner ? 50 : 1);
    int64_t shares = dollars * DSC_DEMO_PRICE_SCALE / event->price / 100 * 100 + 100;
    return trade(event, "P", 'A', shares, dsc_demo_number(event->random, 1, 6));
}

/* ---------------------------------------------------------------- compensation */

static dsc_demo_option_t *free_option(dsc_demo_person_t *person)
{
    for (int i = 0; i < person->option_count; i++) {
        if (person->options[i].units == 0) {
            return &person->options[i];
        }
    }
    return person->option_count < DSC_DEMO_OPTION_LIMIT ? &person->options[person->option_count++]
                                                        : NULL;
}

/* Restricted units for all; officers get ten-year options at the day's price with them. */
static int grant(event_t *event)
{
    dsc_demo_person_t *person = event->person;
    int64_t dollars = dsc_demo_between(event->random, 80, 900) * 1000;
    int64_t units = dollars * DSC_DEMO_PRICE_SCALE / event->price / 4 * 4 + 100;
    dsc_demo_option_t *option = person->role->is_officer ? free_option(person) : NULL;
    annotate(move_derivative(event, "A", 'A', RESTRICTED_UNITS, units, &person->restricted),
             "conversionOrExercisePrice",
             "Each restricted stock unit represents a contingent right to receive one share of "
             "common stock.");
    if (option == NULL) {
        return 1;
    }
    option->strike = event->price;
    option->exercise_day = event->day + 365;
    option->expiration_day = event->day + 3652;
    set_option(move_derivative(event, "A", 'A', OPTIONS, units, &option->units), option);
    return 2;
}

/* Units become shares, of which some are withheld for tax. */
static int vest(event_t *event)
{
    dsc_demo_person_t *person = event->person;
    int64_t units = person->restricted / dsc_demo_between(event->random, 2, 4);
    int64_t withheld = units * 37 / 100;
    if (withheld < 10) {
        return 0;
    }
    move_shares(event, "M", 'A', units, 0);
    annotate(move_shares(event, "F", 'D', withheld, event->price), "shares",
             "Shares withheld by the issuer to satisfy tax withholding obligations upon vesting.");
    move_derivative(event, "M", 'D', RESTRICTED_UNITS, units, &person->restricted);
    return 3;
}

static dsc_demo_option_t *option_in_the_money(event_t *event)
{
    for (int i = 0; i < event->person->option_count; i++) {
        dsc_demo_option_t *option = &event->person->options[i];
        if (option->units >= 100 && option->exercise_day <= event->day &&
            option->strike < event->price) {
            return option;
        }
    }
    return NULL;
}

/* Options are exercised, and mostly the shares are sold at once. */
static int exercise(event_t *event)
{
    dsc_demo_option_t *option = option_in_the_money(event);
    int64_t units;
    int count = 2;
    if (option == NULL) {
        return 0;
    }
    units = option->units <= 500 ? option->units
                                 : option->units / dsc_demo_between(event->random, 1, 4);
    move_shares(event, "M", 'A', units, option->strike);
    set_option(move_derivative(event, "M", 'D', OPTIONS, units, &option->units), option);
    if (dsc_demo_chance(event->random, 75)) {
        count += trade(event, "S", 'D', units, dsc_demo_number(event->random, 1, 3));
    }
    return count;
}

/* ----------------------------------------------------------------------- others */

/* Given away, or into the family's trust. */
static int give(event_t *event)
{
    dsc_demo_person_t *person = event->person;
    int64_t shares = person->direct * dsc_demo_between(event->random, 1, 8) / 100 / 10 * 10;
    dsc_demo_transaction_t *row;
    if (shares < 50) {
        return 0;
    }
    row = move_shares(event, "G", 'D', shares, 0);
    if (person->trust == 0 || dsc_demo_chance(event->random, 50)) {
        return 1;
    }
    annotate(row, "shares", "Transferred to a trust of which the reporting person is trustee.");
    person->trust += shares;
    row = add_row(event, "G", 'A', event->company->share_title, shares, 0);
    row->is_indirect = 1;
    row->after = person->trust;
    return 2;
}

static int convert(event_t *event)
{
    static const char footnote[] =
        "Each share of Series A Convertible Preferred Stock converts into one share of common "
        "stock at the option of the holder, for no additional consideration.";
    dsc_demo_person_t *person = event->person;
    int64_t units = person->preferred / dsc_demo_between(event->random, 3, 8);
    dsc_demo_transaction_t *row;
    if (units < 1000) {
        return 0;
    }
    annotate(move_shares(event, "C", 'A', units, PRICE_UNKNOWN), "price", footnote);
    row = move_derivative(event, "C", 'D', PREFERRED, units, &person->preferred);
    row->price = PRICE_UNKNOWN;
    annotate(row, "price", footnote);
    return 2;
}

static void set_warrant(dsc_demo_transaction_t *row, const dsc_demo_company_t *company,
                        const dsc_demo_person_t *person)
{
    row->strike = person->warrant_strike;
    row->exercise_day = company->first_day - 100;
    row->expiration_day = person->warrant_expiration;
}

static int exercise_warrants(event_t *event)
{
    dsc_demo_person_t *person = event->person;
    int64_t units = person->warrants / dsc_demo_between(event->random, 2, 5);
    if (units < 1000 || person->warrant_strike >= event->price) {
        return 0;
    }
    move_shares(event, "X", 'A', units, person->warrant_strike);
    set_warrant(move_derivative(event, "X", 'D', WARRANTS, units, &person->warrants),
                event->company, person);
    return 2;
}

static int sell_to_issuer(event_t *event)
{
    int64_t shares = event->person->direct * dsc_demo_between(event->random, 1, 6) / 100;
    if (shares < 100) {
        return 0;
    }
    annotate(move_shares(event, "D", 'D', shares, event->price), "transaction_code",
             "Shares repurchased by the issuer in a private transaction.");
    return 1;
}

static int distribute(event_t *event)
{
    int64_t shares = event->person->direct * dsc_demo_between(event->random, 1, 5) / 100;
    if (shares < 100) {
        return 0;
    }
    annotate(move_shares(event, "J", 'D', shares, PRICE_UNKNOWN), "price",
             "Pro rata distribution in kind by the reporting person to its limited partners, for "
             "no consideration.");
    return 1;
}

/* Events and how often they happen to officers, directors and large holders. */
static const struct {
    int (*happen)(event_t *event);
    int officers, directors, owners;
} events[] = {
    {sell, 22, 14, 26},        {buy, 6, 12, 24},
    {grant, 12, 14, 0},        {vest, 16, 10, 0},
    {exercise, 14, 4, 0},      {give, 6, 6, 0},
    {convert, 0, 0, 10},       {exercise_warrants, 0, 0, 8},
    {sell_to_issuer, 2, 2, 3}, {distribute, 0, 0, 8},
};

static int weight_of(int event, const dsc_demo_role_t *role)
{
    return role->is_owner     ? events[event].owners
           : role->is_officer ? events[event].officers
                              : events[event].directors;
}

static int draw_event(dsc_demo_random_t *random, const dsc_demo_role_t *role)
{
    int total = 0, event = 0, drawn;
    for (int i = 0; i < DSC_COUNT(events); i++) {
        total += weight_of(i, role);
    }
    drawn = dsc_demo_number(random, 1, total);
    while ((drawn -= weight_of(event, role)) > 0) {
        event++;
    }
    return event;
}

int dsc_demo_transact(dsc_demo_company_t *company, dsc_demo_random_t *random,
                      dsc_demo_report_t *report, int day)
{
    event_t event = {company, random, report, report->person, day, dsc_demo_price(company, day)};
    int count = 0;
    for (int attempt = 0; attempt < 8 && count == 0; attempt++) {
        count = events[draw_event(random, report->person->role)].happen(&event);
    }
    return count;
}

/* --------------------------------------------------------------------- holdings */

static dsc_demo_transaction_t *hold(dsc_demo_report_t *report, const char *title, int64_t owned)
{
    dsc_demo_transaction_t *row = apr_array_push(report->holdings);
    memset(row, 0, sizeof(*row));
    row->title = title;
    row->after = owned;
    row->strike = NO_STRIKE;
    return row;
}

static dsc_demo_transaction_t *hold_derivative(const dsc_demo_company_t *company,
                                               dsc_demo_report_t *report, const char *title,
                                               int64_t owned)
{
    dsc_demo_transaction_t *row = hold(report, title, owned);
    row->is_derivative = 1;
    row->underlying = company->share_title;
    return row;
}

void dsc_demo_hold(const dsc_demo_company_t *company, dsc_demo_report_t *report, int trust_only)
{
    const dsc_demo_person_t *person = report->person;
    if (person->direct > 0 && !trust_only) {
        hold(report, company->share_title, person->direct);
    }
    if (person->trust > 0) {
        hold(report, company->share_title, person->trust)->is_indirect = 1;
    }
    if (trust_only) {
        return;
    }
    for (int i = 0; i < person->option_count; i++) {
        set_option(hold_derivative(company, report, OPTIONS, person->options[i].units),
                   &person->options[i]);
    }
    if (person->preferred > 0) {
        hold_derivative(company, report, PREFERRED, person->preferred);
    }
    if (person->warrants > 0) {
        set_warrant(hold_derivative(company, report, WARRANTS, person->warrants), company, person);
    }
}
