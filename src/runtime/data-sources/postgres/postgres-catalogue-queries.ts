/**
 * The queries on the catalogue of PostgreSQL. Each statement covers all schemas at once (`$1`, names in order). It runs with an
 * empty search path, so that the names of types and functions come with their schemas.
 */
export const tablesQuery = `
  select c.oid::text as id, n.nspname as schema, c.relname as name, c.relkind as kind, d.description as comment,
    c.relkind = 'r' and not c.relhassubclass and has_table_privilege(c.oid, 'select') as "hasRowAddress",
    c.relkind = 'r' and exists (select from pg_catalog.pg_inherits h where h.inhparent = c.oid) as "hasChildTables",
    -- Bits of the type: 2 before, 8 a deletion. Event 4 of a rule is a deletion.
    exists (select from pg_catalog.pg_trigger g
      where g.tgrelid = c.oid and not g.tgisinternal and g.tgtype & 10 = 10 and g.tgenabled <> 'D')
    or exists (select from pg_catalog.pg_rewrite w where w.ev_class = c.oid and w.ev_type = '4' and w.is_instead)
      as "hasDeleteTriggers",
    -- Bits of the type: 2 before, 64 instead of, 4 an insertion.
    exists (select from pg_catalog.pg_trigger g
      where g.tgrelid = c.oid and not g.tgisinternal and g.tgtype & 66 = 0 and g.tgtype & 4 = 4 and g.tgenabled <> 'D')
      as "hasInsertTriggers",
    has_table_privilege(c.oid, 'select') or has_any_column_privilege(c.oid, 'select') as "isReadable",
    has_table_privilege(c.oid, 'insert') or has_any_column_privilege(c.oid, 'insert') as "mayAdd",
    has_table_privilege(c.oid, 'update') or has_any_column_privilege(c.oid, 'update') as "mayEdit",
    has_table_privilege(c.oid, 'delete') as "mayDelete"
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_description d
    on d.objoid = c.oid and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid = 0
  where n.nspname = any($1::text[])
    and c.relkind in ('r', 'p', 'v', 'm', 'f')
    -- A partition is reached through its parent.
    and not c.relispartition
    -- What belongs to an extension is its own affair.
    and not exists (
      select from pg_catalog.pg_depend e
      where e.classid = 'pg_catalog.pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')
  order by array_position($1::text[], n.nspname::text), c.relname collate "C"`;

/** Domains are followed to the type they stand on, in columns and in the items of arrays. */
export const columnsQuery = `
  with recursive base as (
    select t.oid as origin, t.oid as type, -1 as typmod, false as "isNotNull", null::text collate "C" as "defaultSql"
    from pg_catalog.pg_type t
    union all
    select b.origin, t.typbasetype, t.typtypmod, b."isNotNull" or t.typnotnull, coalesce(b."defaultSql", t.typdefault)
    from base b join pg_catalog.pg_type t on t.oid = b.type and t.typtype = 'd'
  ), resolved as (
    select b.* from base b join pg_catalog.pg_type t on t.oid = b.type and t.typtype <> 'd'
  )
  select a.attrelid::text as "tableId", a.attname as name,
    has_table_privilege(c.oid, 'select') or has_column_privilege(c.oid, a.attnum, 'select') as "isReadable",
    has_table_privilege(c.oid, 'insert') or has_column_privilege(c.oid, a.attnum, 'insert') as "mayAdd",
    has_table_privilege(c.oid, 'update') or has_column_privilege(c.oid, a.attnum, 'update') as "mayEdit",
    case when i.type is null
      then pg_catalog.format_type(t.oid, case when a.atttypmod = -1 then r.typmod else a.atttypmod end)
      else pg_catalog.format_type(it.oid, case when a.atttypmod = -1 then i.typmod else a.atttypmod end) || '[]'
    end as "nativeType",
    i.type is not null as "isList",
    (a.attnotnull or r."isNotNull") as "isNotNull",
    -- PostgreSQL 18 has "not null not valid": rows that were there before may hold null.
    exists (select from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.contype = 'n'
      and k.conkey = array[a.attnum] and not k.convalidated) and not r."isNotNull" as "mayHoldNull",
    nullif(a.attidentity, '') as identity,
    a.attgenerated <> '' as "isGenerated", a.attgenerated = 'v' as "isVirtual",
    coalesce(pg_catalog.pg_get_expr(v.adbin, v.adrelid), r."defaultSql") as "defaultSql",
    (select json_agg(e.enumlabel order by e.enumsortorder) from pg_catalog.pg_enum e
      where e.enumtypid = coalesce(it.oid, t.oid)) as "enumValues",
    d.description as comment
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join resolved r on r.origin = a.atttypid
  join pg_catalog.pg_type t on t.oid = r.type
  left join resolved i on t.typcategory = 'A' and i.origin = t.typelem
  left join pg_catalog.pg_type it on it.oid = i.type
  left join pg_catalog.pg_attrdef v on v.adrelid = a.attrelid and v.adnum = a.attnum
  left join pg_catalog.pg_description d
    on d.objoid = a.attrelid and d.classoid = 'pg_catalog.pg_class'::regclass and d.objsubid = a.attnum
  where n.nspname = any($1::text[]) and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
  order by a.attrelid, a.attnum`;

/**
 * Unique indexes of whole columns, those behind keys and unique constraints included. An index that is not valid, as a failed
 * `create index concurrently` leaves it, keeps nothing unique.
 */
export const uniqueKeysQuery = `
  select i.indrelid::text as "tableId", i.indisprimary as "isPrimary",
    (select json_agg(a.attname order by k.position)
      from unnest(i.indkey::int2[]) with ordinality k(attnum, position)
      join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where k.position <= i.indnkeyatts) as columns
  from pg_catalog.pg_index i
  join pg_catalog.pg_class c on c.oid = i.indrelid
  join pg_catalog.pg_class x on x.oid = i.indexrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any($1::text[]) and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
    and not c.relispartition
  order by i.indrelid, x.relname collate "C"`;

/** Foreign keys; of those that lead into partitions, the one that leads to their parent. */
export const foreignKeysQuery = `
  select k.conname as name, k.conrelid::text as "tableId", k.confrelid::text as "foreignTableId",
    fn.nspname as "foreignSchema", f.relname as "foreignName",
    -- PostgreSQL 18 has keys that compare periods; older versions lack the column.
    to_jsonb(k) ->> 'conperiod' = 'true' as "isTemporal",
    case k.confdeltype when 'c' then 'CASCADE' when 'n' then 'SET NULL' when 'd' then 'SET DEFAULT' end as "onDelete",
    (select json_agg(a.attname order by u.position)
      from unnest(k.conkey) with ordinality u(attnum, position)
      join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum) as columns,
    (select json_agg(a.attname order by u.position)
      from unnest(k.confkey) with ordinality u(attnum, position)
      join pg_catalog.pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.attnum) as "foreignColumns"
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_class c on c.oid = k.conrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_class f on f.oid = k.confrelid
  join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
  where n.nspname = any($1::text[]) and k.contype = 'f' and k.conparentid = 0
  order by k.conrelid, k.conname collate "C"`;

/** Why the database takes no writes from this user, where that is so. Transactions of the introspection only read in any case. */
export const readOnlyQuery = `
  select case when pg_catalog.pg_is_in_recovery() then 'the server is a standby'
    when pg_catalog.current_setting('default_transaction_read_only') = 'on' then '"default_transaction_read_only" is on'
    end as reason`;

/** Everything of the catalogue that the introspection reads, counted and summed by row and by the transaction that wrote it. */
export const fingerprintQuery = `
  with tables as (
    select c.oid, c.xmin from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any($1::text[]) and c.relkind in ('r', 'p', 'v', 'm', 'f', 'i', 'I')
  )
  select concat_ws('/', pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('default_transaction_read_only'),
    (select concat_ws('.', count(*), sum(hashint8(oid::int8 << 32 | xmin::text::int8))) from tables),
    (select concat_ws('.', count(*), sum(hashint8(a.attrelid::int8 << 16 | a.attnum) # hashint8(a.xmin::text::int8)))
      from pg_catalog.pg_attribute a join tables t on t.oid = a.attrelid where a.attnum > 0),
    (select concat_ws('.', count(*), sum(hashint8(k.oid::int8 << 32 | k.xmin::text::int8)))
      from pg_catalog.pg_constraint k join tables t on t.oid = k.conrelid),
    (select concat_ws('.', count(*), sum(hashint8(g.oid::int8 << 32 | g.xmin::text::int8)))
      from pg_catalog.pg_trigger g join tables t on t.oid = g.tgrelid where not g.tgisinternal),
    (select concat_ws('.', count(*), sum(hashint8(i.indexrelid::int8 << 32 | i.xmin::text::int8)))
      from pg_catalog.pg_index i join tables t on t.oid = i.indexrelid),
    (select concat_ws('.', count(*), sum(hashint8(v.oid::int8 << 32 | v.xmin::text::int8)))
      from pg_catalog.pg_attrdef v join tables t on t.oid = v.adrelid),
    (select concat_ws('.', count(*), sum(hashint8(d.objoid::int8 << 16 | d.objsubid) # hashint8(d.xmin::text::int8)))
      from pg_catalog.pg_description d join tables t on t.oid = d.objoid
      where d.classoid = 'pg_catalog.pg_class'::regclass),
    (select concat_ws('.', count(*), sum(hashint8(e.oid::int8 << 32 | e.xmin::text::int8))) from pg_catalog.pg_enum e),
    (select concat_ws('.', count(*), sum(hashint8(d.oid::int8 << 32 | d.xmin::text::int8)))
      from pg_catalog.pg_type d where d.typtype = 'd')
  ) as fingerprint`;
