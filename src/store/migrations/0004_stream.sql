-- What the stream reads: the frames of a channel behind a place in the log, and whom an event concerns.
create index fills_by_asset_and_seq on idx.fills (asset, seq);
create index account_events_by_seq on idx.account_events (seq);
