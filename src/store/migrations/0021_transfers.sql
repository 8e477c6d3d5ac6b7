-- The token's movements from and to the exchange's contracts are archived among the events, and no list of events shows them.
alter table idx.events add column is_transfer boolean not null default false;

drop index idx.events_by_topic;
drop index idx.events_by_contract;
drop index idx.events_by_contract_and_topic;
create index events_by_topic on idx.events (topic, seq) where not is_transfer;
create index events_by_contract on idx.events (contract_id, seq) where not is_transfer;
create index events_by_contract_and_topic on idx.events (contract_id, topic, seq) where not is_transfer;
create index events_listed on idx.events (seq) where not is_transfer;
