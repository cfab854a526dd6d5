-- Canonical numbers of segments, products and regions are served with those of companies as a whole: what an observation's description names.

SET LOCAL search_path = disclosed, public;

-- The axis and the element of an observation from XBRL, which is described as "us-gaap:Revenues of srt:ProductOrServiceAxis=own:ShipsMember".
-- NULL: it is described otherwise.
CREATE FUNCTION observed_axis(as_described text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT substring(as_described FROM '^[^ :]+:[^ :]+ of ([^ :=;]+:[^ :=;]+)=[^;]+$') $$;
CREATE FUNCTION observed_concept(as_described text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT substring(as_described FROM '^([^ :]+:[^ :]+) of [^ :=;]+:[^ :=;]+=[^;]+$') $$;

-- earlier_get_canonical_facts and earlier_get_kpi_facts of a metric, and earlier_get_coverage
CREATE INDEX kpi_observation_part ON kpi_observation (issuer_id, canonical_key, end_date, id)
    WHERE dimension IS NOT NULL AND canonical_key IS NOT NULL;
