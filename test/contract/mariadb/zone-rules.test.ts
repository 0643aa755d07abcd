import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { checkProject } from '#flows/doctor/project-checks';
import { readProjectParts } from '#flows/platform-access/project-parts';
import { createOpenedDataSources } from '#runtime/agent/assemble/opened-data-sources';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { flowContext } from '../../helpers/flow-context.ts';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

/** A server whose rules for Paris know no summer. It has no other zones. */
const withoutSummer = [
  'insert into mysql.time_zone (time_zone_id, use_leap_seconds) values (1, "N")',
  'insert into mysql.time_zone_name (name, time_zone_id) values ("Europe/Paris", 1)',
  'insert into mysql.time_zone_transition_type values (1, 0, 3600, 0, "CET")',
];

describeOnMysqlFamily('Time zones that the database has otherwise than Node.js', (member) => {
  let server: MysqlFamilyServer;
  let uri: string;
  beforeAll(async () => {
    // What was committed is there again after the server was killed.
    server = await member.start(['--innodb-flush-log-at-trx-commit=1']);
    await server.createDatabase('shop', ['create table orders (id int primary key)']);
    uri = `${member.dialect}://${server.user}:${encodeURIComponent(server.password)}@${server.host}:${server.port}/shop`;
  });
  afterAll(() => server?.stop());

  const doctorSays = async () => {
    const root = await temporaryFolder();
    await writeFiles(root, {
      'vendor-cloud.json': JSON.stringify({ name: 'shop', dataSources: { main: { uri } } }),
      'src/index.ts': '',
    });
    const context = flowContext(root);
    const checks = await checkProject(context, await readProjectParts(context, root));
    return checks.find(({ name }) => name === 'database main');
  };

  it('are absent where the server has no rules', async () => {
    expect(await doctorSays()).toMatchObject({ status: 'ok' });
  });

  it('are reported by doctor, and in the log of a session', async () => {
    const admin = await server.connect();
    for (const statement of withoutSummer) await admin.query(statement);
    await admin.end();
    // The server reads its zones when it starts.
    await server.kill();
    await server.restart();
    expect(await doctorSays()).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/^It has 1 collections\. .*: Europe\/Paris \(\d{4}-0[4-9]\)\. The agent reckons/),
      nextSteps: [expect.stringContaining('time zones of the database')],
    });

    const lines: [string, string][] = [];
    const sources = createOpenedDataSources([createSqlDataSource(uri)], {
      log: (level, message) => lines.push([level, message]),
    });
    onTestFinished(() => sources.close());
    await sources.warnOfZones();
    expect(lines).toEqual([['Warn', expect.stringContaining('Europe/Paris')]]);
  });
});
