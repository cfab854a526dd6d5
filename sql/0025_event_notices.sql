-- As of an instant the notices of an event are looked up for the ticker and name that they give.

SET LOCAL search_path = disclosed, public;

CREATE INDEX event_notice_event ON event_notice (event_id) WHERE event_id IS NOT NULL;
