import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { createTablesSql } from '../data-source/ddl.ts';
import { describeFlattener } from '../flattener/flattener-suite.ts';

const server = usePostgresServer();

describeFlattener('PostgreSQL', (tables) => server.openDataSource(createTablesSql('postgres', tables).join(';\n')));
