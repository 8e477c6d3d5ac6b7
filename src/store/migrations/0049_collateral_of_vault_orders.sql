-- What a vault paid when its order was placed: the collateral of the position that the order opens. Null: the archive does not have the transfer.
alter table idx.vault_orders add collateral numeric(39);
