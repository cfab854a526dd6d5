-- Access: who may ask, what keys may do beside their plan, how much was asked, ask credits, and who changed what.

SET LOCAL search_path = disclosed, public;

-- -------------------------------------------------------------------- keys

CREATE TABLE account (
    account_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner       text NOT NULL UNIQUE CHECK (owner <> ''),
    created_at  timestamptz NOT NULL DEFAULT now()
);

-- Keys are stored as salted digests alone; key_id is the public part that listings show.
CREATE TABLE api_key (
    key_id      text PRIMARY KEY CHECK (key_id ~ '^[0-9A-Za-z]{8}$'),
    account_id  bigint NOT NULL REFERENCES account,
    kind        text NOT NULL CHECK (kind IN ('live', 'test')),
    plan        text NOT NULL CHECK (plan ~ '^[a-z][a-z0-9_-]{0,31}$'),
    name        text,
    salt        bytea NOT NULL CHECK (octet_length(salt) = 16),
    digest      bytea NOT NULL CHECK (octet_length(digest) = 32),
    created_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz,
    revoked_at  timestamptz,
    rate_interval bigint CHECK (rate_interval > 0),
    burst       bigint CHECK (burst BETWEEN 1 AND 100000),
    day_quota   bigint CHECK (day_quota >= 0),
    credits     bigint CHECK (credits >= 0),
    scopes      text[] CHECK (cardinality(scopes) > 0 AND length(scopes::text) <= 250),
    addresses   cidr[] CHECK (cardinality(addresses) > 0 AND length(addresses::text) <= 440),
    replaces    text REFERENCES api_key
);
COMMENT ON COLUMN api_key.rate_interval IS 'nanoseconds for each request, in place of the plan''s';
COMMENT ON COLUMN api_key.burst IS 'requests at once, in place of the plan''s';
COMMENT ON COLUMN api_key.day_quota IS 'requests in a UTC day, in place of the plan''s';
COMMENT ON COLUMN api_key.credits IS 'ask credits in a month, in place of the plan''s';
COMMENT ON COLUMN api_key.scopes IS 'patterns of the endpoints that it may ask; NULL: all';
COMMENT ON COLUMN api_key.addresses IS 'networks that it may be used from; NULL: any';
COMMENT ON COLUMN api_key.replaces IS 'the key that it was made to follow';
CREATE INDEX api_key_account ON api_key (account_id);

-- One row; the generation rises with every change that must reach the key caches.
CREATE TABLE key_generation (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    generation  bigint NOT NULL DEFAULT 1
);
INSERT INTO key_generation DEFAULT VALUES;

CREATE FUNCTION raise_key_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE disclosed.key_generation SET generation = generation + 1;
    PERFORM pg_notify('disclosed', 'keys');
    RETURN NULL;
END $$;
CREATE TRIGGER api_key_changed AFTER UPDATE OR DELETE ON api_key
    FOR EACH STATEMENT EXECUTE FUNCTION raise_key_generation();

-- ---------------------------------------------------------------- requests

-- What an account has asked in a UTC day, over all hosts; each host adds what it has counted.
CREATE TABLE account_day (
    account_id  bigint NOT NULL REFERENCES account,
    kind        text NOT NULL CHECK (kind IN ('live', 'test')),
    day         date NOT NULL,
    requests    bigint NOT NULL CHECK (requests >= 0),
    PRIMARY KEY (account_id, kind, day)
);

CREATE TABLE key_usage (
    key_id      text NOT NULL REFERENCES api_key,
    day         date NOT NULL,
    endpoint    text NOT NULL,
    requests    bigint NOT NULL,
    refused     bigint NOT NULL,
    last_used_at timestamptz NOT NULL,
    PRIMARY KEY (key_id, day, endpoint)
);
COMMENT ON COLUMN key_usage.refused IS 'those of the requests that were over a limit';

-- Adds to the days of accounts and returns their totals. Rows are locked in one order, so that hosts
-- wait for each other, never in a circle. Accounts that are gone are left out.
CREATE FUNCTION add_account_days(accounts bigint[], kinds text[], days date[], more bigint[])
RETURNS TABLE (account_id bigint, kind text, day date, requests bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    INSERT INTO account_day AS d (account_id, kind, day, requests)
    SELECT a.account_id, u.kind, u.day, sum(u.more)
    FROM unnest(accounts, kinds, days, more) AS u(account_id, kind, day, more)
    JOIN account a ON a.account_id = u.account_id
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (account_id, kind, day) DO UPDATE SET requests = d.requests + excluded.requests
    RETURNING d.account_id, d.kind, d.day, d.requests
$$;

CREATE FUNCTION add_key_usage(keys text[], days date[], endpoints text[], more bigint[],
                              more_refused bigint[], used timestamptz[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    INSERT INTO key_usage AS k (key_id, day, endpoint, requests, refused, last_used_at)
    SELECT a.key_id, u.day, u.endpoint, sum(u.more), sum(u.refused), max(u.used_at)
    FROM unnest(keys, days, endpoints, more, more_refused, used)
         AS u(key_id, day, endpoint, more, refused, used_at)
    JOIN api_key a ON a.key_id = u.key_id
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (key_id, day, endpoint) DO UPDATE
    SET requests = k.requests + excluded.requests, refused = k.refused + excluded.refused,
        last_used_at = greatest(k.last_used_at, excluded.last_used_at)
$$;

-- ----------------------------------------------------------------- credits

-- One row an account. The month's allowance comes with each question, from the plan; what was topped
-- up stays until it is used, and is used after the allowance.
CREATE TABLE credit_balance (
    account_id  bigint PRIMARY KEY REFERENCES account,
    month       date NOT NULL,
    month_used  bigint NOT NULL DEFAULT 0 CHECK (month_used >= 0),
    topped_up   bigint NOT NULL DEFAULT 0 CHECK (topped_up >= 0)
);
COMMENT ON COLUMN credit_balance.month_used IS 'of the month''s allowance, reservations included';

-- Every movement. A reservation holds credits until it is settled or released.
CREATE TABLE credit_entry (
    entry_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  bigint NOT NULL REFERENCES account,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind        text NOT NULL CHECK (kind IN ('top_up', 'reservation')),
    month       date NOT NULL,
    from_month  bigint NOT NULL DEFAULT 0,
    from_top_up bigint NOT NULL DEFAULT 0,
    used        bigint,
    key_id      text,
    note        text,
    closed_at   timestamptz
);
COMMENT ON COLUMN credit_entry.from_top_up IS 'of topped-up credits: added by a top-up, held by a reservation';
COMMENT ON COLUMN credit_entry.used IS 'reservations: what was used in the end; the rest went back';
CREATE INDEX credit_entry_account ON credit_entry (account_id, at);
CREATE INDEX credit_entry_open ON credit_entry (at) WHERE kind = 'reservation' AND closed_at IS NULL;

CREATE FUNCTION this_month() RETURNS date LANGUAGE sql STABLE AS
$$ SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date $$;

-- The balance, locked and brought to this month.
CREATE FUNCTION lock_credits(account bigint) RETURNS credit_balance
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    balance credit_balance;
BEGIN
    INSERT INTO credit_balance (account_id, month) VALUES (account, this_month())
    ON CONFLICT (account_id) DO NOTHING;
    SELECT * INTO balance FROM credit_balance WHERE account_id = account FOR UPDATE;
    IF balance.month < this_month() THEN
        UPDATE credit_balance SET month = this_month(), month_used = 0
        WHERE account_id = account RETURNING * INTO balance;
    END IF;
    RETURN balance;
END $$;

-- What is left of the allowance and the top-ups.
CREATE FUNCTION credits_left(account bigint, allowance bigint) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT greatest(allowance - coalesce(CASE WHEN b.month = this_month() THEN b.month_used END, 0), 0)
           + coalesce(b.topped_up, 0)
    FROM (VALUES (1)) one LEFT JOIN credit_balance b ON b.account_id = account
$$;

-- Holds credits for a question. The reservation is NULL, and nothing is held, where fewer are left.
CREATE FUNCTION reserve_credits(account bigint, wanted bigint, allowance bigint, by_key text,
                                OUT reservation bigint, OUT remaining bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    balance credit_balance := lock_credits(account);
    of_month bigint := greatest(allowance - balance.month_used, 0);
BEGIN
    IF wanted <= 0 THEN
        RAISE EXCEPTION 'credits: % is not a number of credits', wanted USING ERRCODE = '22023';
    END IF;
    remaining := of_month + balance.topped_up;
    IF wanted > remaining THEN
        RETURN;
    END IF;
    of_month := least(of_month, wanted);
    UPDATE credit_balance SET month_used = month_used + of_month, topped_up = topped_up - (wanted - of_month)
    WHERE account_id = account;
    INSERT INTO credit_entry (account_id, kind, month, from_month, from_top_up, key_id)
    VALUES (account, 'reservation', balance.month, of_month, wanted - of_month, by_key)
    RETURNING entry_id INTO reservation;
    remaining := remaining - wanted;
END $$;

-- Ends a reservation with what was used, at most what it holds; the rest goes back, of topped-up
-- credits first. A reservation that has ended stays as it is. Returns what went back.
CREATE FUNCTION settle_credits(reservation bigint, really_used bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    entry credit_entry;
    back bigint;
    back_to_top_up bigint;
BEGIN
    SELECT * INTO entry FROM credit_entry
    WHERE entry_id = reservation AND kind = 'reservation' AND closed_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    IF really_used < 0 OR really_used > entry.from_month + entry.from_top_up THEN
        RAISE EXCEPTION 'credits: % were used of % reserved', really_used,
            entry.from_month + entry.from_top_up USING ERRCODE = '22023';
    END IF;
    PERFORM lock_credits(entry.account_id);
    back := entry.from_month + entry.from_top_up - really_used;
    back_to_top_up := least(back, entry.from_top_up);
    UPDATE credit_balance b
    SET topped_up = topped_up + back_to_top_up,
        month_used = CASE WHEN b.month = entry.month
                          THEN month_used - (back - back_to_top_up) ELSE month_used END
    WHERE b.account_id = entry.account_id;
    UPDATE credit_entry SET used = really_used, closed_at = clock_timestamp()
    WHERE entry_id = reservation;
    RETURN back;
END $$;

CREATE FUNCTION release_credits(reservation bigint) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS
$$ SELECT settle_credits(reservation, 0) $$;

-- Reservations that nobody ended, as after a crash, go back.
CREATE FUNCTION release_stale_credits(older_than interval) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT count(release_credits(entry_id)) FROM credit_entry
    WHERE kind = 'reservation' AND closed_at IS NULL AND at < now() - older_than
$$;

CREATE FUNCTION top_up_credits(account bigint, more bigint, why text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    total bigint;
BEGIN
    IF more <= 0 THEN
        RAISE EXCEPTION 'credits: % is not a number of credits', more USING ERRCODE = '22023';
    END IF;
    PERFORM disclosed.lock_credits(account);
    UPDATE disclosed.credit_balance SET topped_up = topped_up + more WHERE account_id = account
    RETURNING topped_up INTO total;
    INSERT INTO disclosed.credit_entry (account_id, kind, month, from_top_up, note, closed_at)
    VALUES (account, 'top_up', disclosed.this_month(), more, why, clock_timestamp());
    RETURN total;
END $$;

-- ------------------------------------------------------------------- audit

-- Every change of accounts, keys and top-ups. Secrets' digests are not kept here.
CREATE TABLE access_audit (
    audit_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor       text NOT NULL,
    action      text NOT NULL,
    account_id  bigint,
    key_id      text,
    before      jsonb,
    after       jsonb
);
COMMENT ON COLUMN access_audit.actor IS 'role of the database, and what disclosed.actor says of who used it';
CREATE INDEX access_audit_at ON access_audit (at);
CREATE INDEX access_audit_key ON access_audit (key_id, at);

-- Notes who changed what. Digests of keys, and what seals signing secrets, are left out.
CREATE FUNCTION audit_access() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    secrets text[] := '{salt,digest,sealed_secret,previous_sealed_secret}';
    old_row jsonb := CASE WHEN TG_OP = 'INSERT' THEN NULL ELSE to_jsonb(OLD) - secrets END;
    new_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE to_jsonb(NEW) - secrets END;
    present jsonb := coalesce(new_row, old_row);
BEGIN
    IF old_row IS DISTINCT FROM new_row THEN
        INSERT INTO access_audit (actor, action, account_id, key_id, before, after)
        VALUES (concat_ws(' ', session_user, nullif(current_setting('disclosed.actor', true), '')),
                TG_TABLE_NAME || ' ' || lower(TG_OP), (present ->> 'account_id')::bigint,
                coalesce(present ->> 'key_id', present ->> 'created_by'), old_row, new_row);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER account_audited AFTER INSERT OR UPDATE OR DELETE ON account
    FOR EACH ROW EXECUTE FUNCTION audit_access();
CREATE TRIGGER api_key_audited AFTER INSERT OR UPDATE OR DELETE ON api_key
    FOR EACH ROW EXECUTE FUNCTION audit_access();
CREATE TRIGGER top_up_audited AFTER INSERT ON credit_entry
    FOR EACH ROW WHEN (NEW.kind = 'top_up') EXECUTE FUNCTION audit_access();

-- ------------------------------------------------------------------ rights

REVOKE EXECUTE ON FUNCTION add_account_days, add_key_usage, lock_credits, credits_left, reserve_credits,
    settle_credits, release_credits, release_stale_credits, top_up_credits FROM PUBLIC;
GRANT SELECT ON public.disclosed_migration TO disclosed_api;
GRANT SELECT ON account, api_key, account_day, key_usage, credit_balance TO disclosed_api;
GRANT SELECT ON key_generation TO disclosed_api, disclosed_loader;
GRANT EXECUTE ON FUNCTION add_account_days, add_key_usage, credits_left, reserve_credits, settle_credits,
    release_credits, release_stale_credits TO disclosed_api;
