import { describe } from 'vitest';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { describeSearchTerms } from '../data-source/search-terms-suite.ts';

const kinds = `
  create extension citext; create extension ltree; create extension hstore;
  create type colour as enum ('red', 'blue', '5', 'NULL'); create domain paint as colour; create domain price as numeric(10, 2);
  create type pair as (a int, b int);
  create table kinds (
    id int primary key, small smallint, whole integer, big bigint, exact numeric(12, 4), loose numeric, cash money, single real,
    twice double precision, address oid, flag boolean, words text, short varchar(40), padded char(6), loud citext, one "char", called name,
    ip inet, net cidr, mac macaddr, mac8 macaddr8, bits bit(3), vary bit varying(8), stretch interval, code uuid, day date, clock time,
    zoned timetz, stamp timestamp, moment timestamptz, doc json, docb jsonb, raw bytea, spot point, feeling colour, coat paint, cost price,
    path ltree, pairs hstore, size int4range, composite pair, shape box, document tsvector, markup xml, place pg_lsn, kind regclass,
    smalls smallint[], numbers integer[], bigs bigint[], exacts numeric(12, 4)[], looses numeric[], monies money[], singles real[],
    twices double precision[], addresses oid[], flags boolean[], names text[], shorts varchar(9)[], padds char(4)[], louds citext[],
    chars "char"[], titles name[], ips inet[], bitss bit(3)[], stretches interval[], codes uuid[], days date[], clocks time[], stamps timestamp[],
    moments timestamptz[], docs jsonb[], jsons json[], raws bytea[], spots point[], colours colour[], coats paint[], costs price[], sizes int4range[],
    paths ltree[], composites pair[]
  );
  insert into kinds values
    (1, 5, 5, 9007199254740993, 5.5, 5.50, 5, 0.1, 5.5, 5, true, 'a 5.5 red', '007', 'a', 'A', 'a', 'red', '10.0.0.1', '10.0.0.0/8',
      '08:00:2b:01:02:03', '08:00:2b:01:02:03:04:05', '101', '1', '1 day 02:03', '6f1a9c4e-1111-4222-8333-444455556666', '2024-02-29', '10:20:30',
      '10:20:30+02', '2024-02-29 10:20:30', '2024-02-29 10:20:30+00', '{"a":1}', '{"a":1}', '\\x00ff', '(1,2)', 'red', 'red', 5.5,
      'a.b', 'a=>1', '[1,5)', '(1,2)', '(1,1),(0,0)', 'a b', '<a/>', '0/5', 'pg_class',
      '{5}', '{5,null}', '{5,9223372036854775807}', '{5.5}', '{5.50}', '{5}', '{0.1}', '{5.5}', '{5}', '{true}', '{a,5}', '{007}', '{a}', '{A}',
      '{a}', '{red}', '{10.0.0.1}', '{101}', '{1 day}', '{6f1a9c4e-1111-4222-8333-444455556666}', '{2024-02-29}', '{10:20:30}', '{2024-02-29 10:20:30}',
      '{2024-02-29 10:20:30+00}', '{"{}"}', '{"{}"}', '{"\\\\x00ff"}', '{"(1,2)"}', '{red,5}', '{red}', '{5.5}', '{"[1,2)"}', '{a.b}', '{"(1,2)"}'),
    (2, -1, 2147483647, -1, -0.5, 1e308, -0.5, 3.4e38, 'NaN', 4294967295, false, '%_\\''"', 'é', null, 'RED', '5', '5', '::1', '::/0',
      null, null, '000', '', '5 years', null, '0001-01-01', '24:00:00', '00:00:00+00', 'infinity', '-infinity', 'null', 'null', '', '(0.5,-1)', 'NULL', 'blue', -1,
      '', '', 'empty', null, null, '', null, null, null,
      '{}', '{}', '{-1}', '{-0.5}', '{1e308,NaN}', '{-0.5}', '{3.4e38}', '{NaN,Infinity}', '{4294967295}', '{}', '{"",NULL}', '{}', '{}', '{red}',
      '{}', '{}', '{}', '{}', '{}', '{}', '{infinity}', '{}', '{infinity}', '{-infinity}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
  insert into kinds (id) values (3);`;

describe('A search on PostgreSQL', () => {
  const server = usePostgresServer();
  describeSearchTerms(() => server.openDataSource(kinds));
});
