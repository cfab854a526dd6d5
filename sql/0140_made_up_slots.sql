-- Requests that might have been sent while a follower loaded what had come are made up for, so many of them at once.

SET LOCAL search_path = disclosed, public;

DROP FUNCTION take_followed_slot(text, integer); -- asked for by disclosedctl follow alone
-- The next time at which a request may be sent: `spacing` milliseconds after the one before, and as much earlier as there was none, for `burst` requests at
-- most. In any second there are no more than 1000 / spacing + 1 + burst of them.
CREATE FUNCTION take_followed_slot(limit_name text, spacing integer, burst integer, OUT wait integer, OUT paused boolean) LANGUAGE plpgsql
SET search_path = disclosed, public AS $$
DECLARE
    l followed_limit;
    earliest timestamptz;
BEGIN
    INSERT INTO followed_limit (name) VALUES (limit_name) ON CONFLICT DO NOTHING;
    SELECT * INTO l FROM followed_limit WHERE name = limit_name FOR UPDATE;
    IF l.paused_at > clock_timestamp() THEN
        l.paused_until := l.paused_until - l.paused_at + clock_timestamp();
        UPDATE followed_limit SET paused_until = l.paused_until, paused_at = clock_timestamp() WHERE name = limit_name;
    END IF;
    paused := l.paused_until > clock_timestamp();
    IF paused THEN
        wait := ceil(extract(epoch FROM l.paused_until - clock_timestamp()) * 1000);
    ELSE
        earliest := clock_timestamp() - burst * spacing * interval '1 millisecond';
        IF l.next_at > clock_timestamp() + interval '1 minute' THEN -- the clock has been put back
            l.next_at := clock_timestamp();
        END IF;
        l.next_at := greatest(l.next_at, earliest);
        wait := greatest(0, ceil(extract(epoch FROM l.next_at - clock_timestamp()) * 1000));
        UPDATE followed_limit SET next_at = l.next_at + spacing * interval '1 millisecond' WHERE name = limit_name;
    END IF;
END $$;
