import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { createTablesSql } from '../data-source/ddl.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { describeRandomExpressions } from '../expressions/expression-suite.ts';

const server = usePostgresServer();

const open: OpenTables = (tables) => server.openDataSource(createTablesSql('postgres', tables).join(';\n'));

describeRandomExpressions([{ name: 'PostgreSQL', open }], 30);
