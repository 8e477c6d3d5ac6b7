-- Prints: the order that caused one, and the direction of the position, which some events do not name. A print whose volume another one has counted has size 0.
alter table idx.fills add direction smallint;
alter table idx.fills add order_id bigint;
alter table idx.opens add order_id bigint;
alter table idx.trades add order_id bigint;
