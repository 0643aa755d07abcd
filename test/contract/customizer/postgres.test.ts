import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { createTablesSql } from '../data-source/ddl.ts';
import { describeCustomizer } from './customizer-suite.ts';

const server = usePostgresServer();

describeCustomizer('PostgreSQL', (tables) => server.openDataSource(createTablesSql('postgres', tables).join(';\n')));
