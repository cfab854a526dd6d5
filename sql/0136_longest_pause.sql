-- Follow and bootstrap: of refusals that come together, the longest pause counts.

SET LOCAL search_path = disclosed, public;

-- As in 0093; requests that were under way when the first of them was refused make that pause longer, if the publisher says so, and are no pause of their own.
CREATE OR REPLACE FUNCTION pause_followed(limit_name text, told_seconds integer, why text) RETURNS integer LANGUAGE sql
SET search_path = disclosed, public AS $$
    UPDATE followed_limit l
    SET paused_until = n.at + make_interval(secs => coalesce(told_seconds, least(3600, 10 * 2 ^ least(l.pauses, 12)))),
        paused_at = n.at, pauses = l.pauses + CASE WHEN n.is_under_way THEN 0 ELSE 1 END, reason = why
    FROM (SELECT name, clock_timestamp() AS at, paused_until > clock_timestamp() AND coalesce(paused_at <= clock_timestamp(), true) AS is_under_way
          FROM followed_limit WHERE name = limit_name FOR UPDATE) n
    WHERE l.name = n.name AND (NOT n.is_under_way OR n.at + make_interval(secs => told_seconds) > l.paused_until)
    RETURNING ceil(extract(epoch FROM l.paused_until - l.paused_at))::integer
$$;
