-- running instances must stop
-- The margin that traders put into positions. A version that does not know the table would leave gaps in it.

-- Collateral of the positions opened in each hour and each day, USDC with seven decimals. The last column counts positions whose collateral is not known.
create table idx.trader_margins (
  trader text not null,
  width int not null,
  time bigint not null,
  margin numeric not null,
  unknown bigint not null,
  primary key (trader, width, time)
);

-- The indexes of other deployments have the same tables.
do $$
declare
  side text;
begin
  for side in select nspname from pg_namespace where nspname like 'side\_%' loop
    execute format('create table %I.trader_margins (like idx.trader_margins including all)', side);
  end loop;
end $$;
