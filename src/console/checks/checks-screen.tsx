import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { Check, CheckList } from '#contracts/checks';
import { Button, Empty, Failure, look, Notice, Table, Title } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { mayReadHostLog, meQuery } from '../model/me.ts';
import { timeText } from '../values/time-text.ts';
import { ask } from '../wire/http.ts';
import { verdictOn } from './verdict.ts';

/** To look takes seconds, so that nobody looks twice by accident. */
const checksQuery = queryOptions({
  queryKey: ['checks'],
  queryFn: ({ signal }) => ask<CheckList>('/api/checks', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
});

const order: readonly Check['status'][] = ['failed', 'warning', 'ok', 'skipped'];
const signs = { failed: '✖', warning: '▲', ok: '✔', skipped: '–' } as const;

/** What stands in the way: of the machine that the platform runs on, and of the project in `dev`. Looking changes nothing. */
export function ChecksScreen() {
  const { checks: messages, screens } = useMessages();
  const { data: person } = useSuspenseQuery(meQuery);
  if (!mayReadHostLog(person)) return <Empty title={messages.mayNot} why={messages.mayNotWhy} />;
  return (
    <>
      <Title>{screens.checks}</Title>
      <Found />
    </>
  );
}

function Found() {
  const { checks: messages } = useMessages();
  const { data, error, isFetching, refetch } = useQuery(checksQuery);
  const checks = data?.checks.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status)) ?? [];
  return (
    <>
      <div className={look.row}>
        <Button onClick={() => void refetch()} disabled={isFetching}>
          {messages.lookAgain}
        </Button>
        <span role="status" className={look.small}>
          {isFetching ? messages.looking : data && messages.lookedAt(timeText(data.lookedAt))}
        </span>
      </div>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && !error && checks.length === 0 && <Empty title={messages.nobodyLooks} why={messages.nobodyLooksWhy} />}
      {data && !error && checks.length > 0 && <Outcome checks={checks} />}
    </>
  );
}

function Outcome({ checks }: { readonly checks: readonly Check[] }) {
  const { checks: messages, screens } = useMessages();
  return (
    <>
      <Notice {...verdictOn(checks, messages)} />
      <Table titles={[messages.state, messages.check, messages.found]} label={screens.checks}>
        {checks.map(({ name, status, message, nextSteps }) => (
          <tr key={`${name} ${message}`}>
            <td>
              <span aria-hidden="true">{signs[status]}</span> {messages.statuses[status]}
            </td>
            <th scope="row">{name}</th>
            <td>
              {message}
              {nextSteps.map((step) => (
                <p key={step}>{step}</p>
              ))}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
