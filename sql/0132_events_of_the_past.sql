-- Events that were changed after an instant, as of another one: the index has the versions that are past too.

SET LOCAL search_path = disclosed, public;

DROP INDEX event_created;
CREATE INDEX event_created ON event (created_at);
