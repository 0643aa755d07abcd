import { useQuery } from '@tanstack/react-query';
import type { Host } from '#contracts/deployments';
import { Empty, Failure, look, Table } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { hostsQuery } from '../model/deliveries.ts';
import { Time } from '../values/time.tsx';
import styles from './deliveries.module.css';

/** The hosts of the environment: what each says of itself, beside what the platform makes of it. */
export function HostsPart({ environment }: { readonly environment: string }) {
  const messages = useMessages();
  const { deliveries: words } = messages;
  const { data: hosts, error, refetch } = useQuery(hostsQuery(environment));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!hosts) return <p className={look.late}>{messages.loading}</p>;
  if (hosts.length === 0) return <Empty title={words.noHosts} why={words.noHostsWhy} />;
  return (
    <Table
      titles={[words.host, words.serves, words.since, words.platformSaw, words.lastSign]}
      label={words.parts.hosts}
    >
      {hosts.map((host) => (
        <HostRow key={host.id} host={host} />
      ))}
    </Table>
  );
}

function HostRow({ host }: { readonly host: Host }) {
  const { deliveries: words } = useMessages();
  const { name, workers, liveSince, refused, seenAt, isConnected, state } = host;
  const isRight = state === 'serves' || state === 'checks';
  return (
    <tr data-inactive={!isConnected}>
      <th scope="row">
        <bdi>{name}</bdi> <span className={look.small}>{words.workers(workers)}</span>
      </th>
      <td>{useServed(host)}</td>
      <td>{liveSince && <Time at={liveSince} />}</td>
      <td>
        <span className={isRight ? undefined : styles['breaking']}>{useJudgement(host)}</span>
        {refused && (
          <p className={look.small}>
            {words.refusedHere(refused.deployment)} <bdi>{refused.reason}</bdi>
          </p>
        )}
      </td>
      <td>
        <Time at={seenAt} />
      </td>
    </tr>
  );
}

/** As the host says it. */
function useServed({ serving, version }: Host): string {
  const { deliveries: words } = useMessages();
  if (serving === null) return words.nothing;
  return version === null ? words.servesUnknown(serving) : words.servesVersion(version, serving);
}

function useJudgement({ state, wanted }: Host): string {
  const { deliveries: words } = useMessages();
  if (state !== 'behind') return words.hostStates[state];
  return words.hostStates.behind(wanted === null ? words.nothing : words.servesUnknown(wanted));
}
