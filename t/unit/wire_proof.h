/* Compares what engine/wire.c writes with PostgreSQL's own text; for t/wire.t and t/proofs/wire. */
#ifndef DSC_WIRE_PROOF_H
#define DSC_WIRE_PROOF_H

/* Runs the query, whose rows are a value, its text, and its JSON or NULL. Prints the first
 * differences, and how many values it compared; returns whether all were alike. */
int dsc_wire_proof(const char *conninfo, const char *query);

#endif
