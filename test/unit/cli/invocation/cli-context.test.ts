import { expect, it, onTestFinished } from 'vitest';
import { createContext } from '#cli/invocation/cli-context';
import { createTerminal } from '#cli/terminal/terminal';
import { silentReporter } from '#kernel/ports/reporter';
import { processEnvironment } from '#node/environment/process-environment';
import { startHttpServer } from '../../../helpers/http-server.ts';

it('a command sends a request again that the platform had no time for', async () => {
  let requests = 0;
  const { origin } = await startHttpServer((_request, response) => {
    requests += 1;
    response.writeHead(requests === 1 ? 429 : 200, { 'retry-after': '0' }).end();
  });
  const invocation = {
    environment: { ...processEnvironment, variables: {} },
    terminal: createTerminal(processEnvironment, { isJson: true, hasColor: false }),
    interrupted: new AbortController().signal,
    onInterrupt: () => () => undefined,
    interrupt: () => undefined,
    serve: () => undefined,
    endUnread: () => undefined,
    handOverSignals: () => () => undefined,
  };
  const { http } = createContext(invocation, silentReporter);
  onTestFinished(() => http.close());
  expect(await http.send({ method: 'PATCH', url: `${origin}/api/variables` })).toMatchObject({ status: 200 });
  expect(requests).toBe(2);
});
