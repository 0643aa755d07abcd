import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { createTablesSql } from '../data-source/ddl.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { describeDifferential } from '../differential/differential-suite.ts';

const server = usePostgresServer();

const open: OpenTables = (tables) => server.openDataSource(createTablesSql('postgres', tables).join(';\n'));

describeDifferential([{ name: 'PostgreSQL', open }], { databases: 40, decimal: [38, 6] });
