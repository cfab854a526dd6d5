-- Reports with their sources, and with the columns that 0047 has added.

SET LOCAL search_path = disclosed, public;

CALL make_sourced_view('xbrl_report');
