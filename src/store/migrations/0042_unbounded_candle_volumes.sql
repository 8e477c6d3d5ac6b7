-- The sum of several amounts may have more digits than the largest amount.
alter table idx.candle_volumes alter column volume type numeric;
