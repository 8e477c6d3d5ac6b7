-- Corrections of vaults, of events that a verification added, replaced or removed, and new names of the epoch after that.
alter table idx.corrections add vault_id bigint;
alter table idx.corrections add event_id text;
alter table idx.corrections drop constraint corrections_kind_check;
alter table idx.corrections add constraint corrections_kind_check
  check (kind ~ '^(ended|changed|opened|interest|vault|event|epoch)$');

-- Reads as of a ledger end before the first correction of a position or of the open interest. A verification can record thousands of others.
drop index idx.corrections_by_ledger;
create index corrections_by_ledger on idx.corrections (deployment, ledger, place) where kind <> 'event';
