import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { describeDataSource } from '../data-source/data-source-suite.ts';
import { createTablesSql } from '../data-source/ddl.ts';

const server = usePostgresServer();

describeDataSource('PostgreSQL', (tables) => server.openDataSource(createTablesSql('postgres', tables).join(';\n')));
