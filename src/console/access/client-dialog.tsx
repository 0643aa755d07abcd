import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Me } from '#contracts/identity';
import type { McpClient } from '#contracts/mcp-clients';
import type { ListedMark } from '#contracts/mcp-marks';
import type { ExpandedActivityLog } from '#contracts/public-api/activity-logs';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Button, Buttons, Dialog, Facts, Failure, look, Notice } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { logPath } from '../log/log-state.ts';
import { whatWasDone } from '../log/log-words.ts';
import { useMessages } from '../messages/index.ts';
import { revokeMcpClient } from '../model/access.ts';
import { mayManageClients, mayReadLog } from '../model/me.ts';
import { timeText } from '../values/time-text.ts';
import { ask } from '../wire/http.ts';
import styles from './access.module.css';
import { type AccessTexts, assistantsPage, useAccessTexts } from './access-texts.ts';
import { ClientLimitsForm } from './client-limits-form.tsx';

/** What a program calls itself, else its client of OAuth. */
export function nameOfClient({ name, clientId }: McpClient, texts: AccessTexts): string {
  return name ?? clientId ?? texts.nameless;
}

interface ClientDialogProps {
  readonly person: Me;
  readonly client: McpClient;
  readonly mark: ListedMark | undefined;
  readonly onClose: () => void;
}

/** One program: who let it in, what it may do and has done, and the way to change or end that. */
export function ClientDialog({ person, client, mark, onClose }: ClientDialogProps) {
  const { close } = useMessages();
  const texts = useAccessTexts();
  const [act, setAct] = useState<'change' | 'end'>();
  const mayChange = client.person.id === person.user.id || mayManageClients(person);
  return (
    <Dialog title={nameOfClient(client, texts)} onClose={onClose} isAtSide>
      {mark && <Mark mark={mark} />}
      <ClientFacts client={client} />
      <section aria-label={texts.itMay} className={look.form}>
        <h3>{texts.itMay}</h3>
        <ul className={styles['sentences']}>
          <li>{client.scopes.map((scope) => texts.mcpScopes[scope]).join(', ')}</li>
          {client.inWords.map((sentence) => (
            <li key={sentence}>
              <bdi>{sentence}</bdi>
            </li>
          ))}
          {client.inWords.length === 0 && <li>{texts.noLimits}</li>}
        </ul>
      </section>
      {mayReadLog(person) && <LastCalls project={person.project} client={client} />}
      <Buttons>
        <Button onClick={onClose}>{close}</Button>
        {mayChange && (
          <>
            <Button look="danger" onClick={() => setAct('end')}>
              {texts.disconnect}
            </Button>
            <Button onClick={() => setAct('change')}>{texts.changeLimits}</Button>
          </>
        )}
      </Buttons>
      {act === 'change' && (
        <ClientLimitsForm
          client={client}
          name={nameOfClient(client, texts)}
          maySetName={mayManageClients(person)}
          onClose={() => setAct(undefined)}
        />
      )}
      {act === 'end' && <EndClientDialog client={client} onClose={() => setAct(undefined)} />}
    </Dialog>
  );
}

/** The most places that are shown of a mark. */
const shownReads = 10;

function Mark({ mark: { markedAt, readCount, reads, asks } }: { readonly mark: ListedMark }) {
  const texts = useAccessTexts();
  const waiting = asks.filter(({ answer }) => answer === null).length;
  const places = reads.slice(0, shownReads).map(({ collection, recordId, field }) => {
    return recordId === null ? `${collection}: ${field}` : `${collection} ${recordId}: ${field}`;
  });
  return (
    <Notice kind="warning" title={texts.isMarked}>
      <p>{texts.marked(String(readCount), timeText(markedAt))}</p>
      <p className={look.small}>
        <bdi>{places.join(', ')}</bdi>
      </p>
      <p>
        {waiting > 0 && texts.waiting(String(waiting))} <a href={assistantsPage}>{texts.answerThere}</a>
      </p>
    </Notice>
  );
}

function ClientFacts({ client }: { readonly client: McpClient }) {
  const texts = useAccessTexts();
  const { columns } = texts;
  const { person, clientId, redirectUris, createdAt, lastTokenAt, expiresAt } = client;
  return (
    <Facts
      facts={[
        [columns.person, `${person.name} · ${person.email}`],
        [columns.letIn, timeText(createdAt)],
        [columns.lastToken, lastTokenAt === null ? texts.never : timeText(lastTokenAt)],
        [columns.ends, timeText(expiresAt)],
        [texts.clientId, clientId ?? ''],
        [texts.answersTo, redirectUris.join('\n')],
      ]}
    />
  );
}

const shownCalls = 5;

/** What the program did last for its person, as the log has it. */
function LastCalls({ project, client }: { readonly project: string; readonly client: McpClient }) {
  const messages = useMessages();
  const texts = useAccessTexts();
  const { environment } = useParams({ from: '/$environment/access/{-$part}' });
  const name = client.clientId ?? client.name ?? '';
  const filters = { client: name, userEmail: client.person.email };
  const calls = useQuery({
    queryKey: ['calls of a client', environment, filters],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({
        ...filters,
        limit: String(shownCalls),
        order: 'desc',
        include: 'all',
        expand: 'status,source',
      });
      const path = logPath({ kind: 'activity', project, environment });
      return (await ask<{ readonly data: readonly ExpandedActivityLog[] }>(`${path}?${query}`, { signal })).data;
    },
    enabled: name !== '',
  });
  return (
    <section aria-label={texts.lastCalls} className={look.form}>
      <h3>{texts.lastCalls}</h3>
      {calls.error && <Failure error={calls.error} onRetry={() => void calls.refetch()} />}
      {calls.data?.length === 0 && <p className={look.small}>{texts.noCalls}</p>}
      <ul className={styles['sentences']}>
        {calls.data?.map((row) => (
          <li key={row.id} data-failed={row.status === 'failed'}>
            <span className={look.small}>{timeText(row.createdAt)}</span> <bdi>{callInWords(row, texts, messages)}</bdi>
          </li>
        ))}
      </ul>
      <Link
        to="/$environment/log/$kind/{-$row}"
        params={{ environment, kind: 'activity', row: undefined }}
        search={filters}
      >
        {texts.allCalls}
      </Link>
    </section>
  );
}

function callInWords(row: ExpandedActivityLog, texts: AccessTexts, messages: ReturnType<typeof useMessages>): string {
  const parts = [row.tool ?? '', whatWasDone(row, messages), row.collection?.name ?? ''].filter(Boolean);
  return `${parts.join(' · ')}${row.status === 'failed' ? ` · ${texts.refused}` : ''}`;
}

function EndClientDialog({ client, onClose }: Pick<ClientDialogProps, 'client' | 'onClose'>) {
  const texts = useAccessTexts();
  const queries = useQueryClient();
  const { environment } = useParams({ from: '/$environment/access/{-$part}' });
  const name = nameOfClient(client, texts);
  const ending = useMutation({
    mutationFn: () => revokeMcpClient({ environment }, client.id),
    onSuccess: () => {
      toast(texts.disconnected(name));
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['MCP clients'] }),
  });
  return (
    <ConfirmDialog
      title={texts.disconnectOf(name)}
      why={texts.disconnectWhy}
      label={texts.disconnect}
      running={ending}
      onClose={onClose}
    />
  );
}
