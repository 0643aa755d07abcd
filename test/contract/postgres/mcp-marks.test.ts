import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { createTablesSql } from '../data-source/ddl.ts';
import { describeObedientClient, injectedTasks } from '../mcp-marks/obedient-client-suite.ts';

const server = usePostgresServer();

describeObedientClient(
  'PostgreSQL',
  (tables) => server.openDataSource(createTablesSql('postgres', tables).join(';\n')),
  injectedTasks(30),
);
