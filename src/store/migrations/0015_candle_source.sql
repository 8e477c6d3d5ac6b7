-- Where the prices of a candle come from. 'trades': at least one of its four prices is of a trade, because the gateway did not read the oracle then.
alter table idx.candles
  add column source text not null default 'oracle' check (source in ('oracle', 'trades'));
