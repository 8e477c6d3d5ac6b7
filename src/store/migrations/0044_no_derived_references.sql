-- Rows that are computed from the archive need no foreign key: their epoch is that of an archived event, which has one. Each check costs as much as an index
-- entry, and these tables get several rows per event.
alter table idx.ledgers drop constraint ledgers_epoch_fkey;
alter table idx.positions drop constraint positions_deployment_fkey;
alter table idx.position_versions drop constraint position_versions_deployment_fkey;
alter table idx.interest_versions drop constraint interest_versions_deployment_fkey;
alter table idx.position_fills drop constraint position_fills_deployment_fkey;
alter table idx.unread_transactions drop constraint unread_transactions_deployment_fkey;
alter table idx.orders drop constraint orders_deployment_fkey;
