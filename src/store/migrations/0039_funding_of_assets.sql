-- Applications of funding by asset; '' for funding that all assets share.
create index funding_by_asset on idx.events (coalesce(payload ->> 'asset', ''), seq) where topic = 'funding_applied' and not is_transfer;
