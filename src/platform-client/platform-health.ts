import { healthSchema } from '#contracts/health';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Http, HttpResponse } from '#kernel/ports/http';
import { parseServerUrl } from './server-url.ts';

/** Ask whether a platform answers at an address; resolves to its answer. Rejects with `PLATFORM_…`. */
export async function platformHealth(http: Http, serverUrl: string): Promise<HttpResponse> {
  const url = new URL('health', parseServerUrl(serverUrl));
  const answer = await http.send({ method: 'GET', url: url.href, deadlineMs: 5_000 });
  if (answer.status === 200 && healthSchema.safeParse(jsonOf(answer)).success) return answer;
  throw cloudError(
    'PLATFORM_FAILED',
    `What answers at ${url.host} is no platform of vendor-cloud (status ${answer.status}).`,
    'Check SERVICE_SERVER_URL, and whether a proxy answers in its place.',
  );
}

function jsonOf({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
