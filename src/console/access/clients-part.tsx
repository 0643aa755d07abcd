import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Me } from '#contracts/identity';
import type { McpClient } from '#contracts/mcp-clients';
import type { ListedMark } from '#contracts/mcp-marks';
import { Empty, look, Notice, Table } from '../design/controls.tsx';
import { mcpClientsQuery, mcpMarksQuery } from '../model/access.ts';
import { timeText } from '../values/time-text.ts';
import styles from './access.module.css';
import { assistantsPage, useAccessTexts } from './access-texts.ts';
import { ClientDialog, nameOfClient } from './client-dialog.tsx';

/** The programs that were let in to the MCP server of the environment. */
export function ClientsPart({ person }: { readonly person: Me }) {
  const texts = useAccessTexts();
  const { environment } = useParams({ from: '/$environment/access/{-$part}' });
  const { data: clients } = useSuspenseQuery(mcpClientsQuery({ environment }));
  const { data: marks } = useSuspenseQuery(mcpMarksQuery({ environment }));
  const [openedId, setOpenedId] = useState<string>();
  const opened = clients.find(({ id }) => id === openedId);
  const markOf = (client: McpClient) =>
    marks.find((mark) => mark.client === client.clientId && mark.personId === client.person.id);
  const shown = new Set(clients.map(markOf));
  const others = marks.filter((mark) => !shown.has(mark));
  return (
    <>
      {others.length > 0 && <OtherMarks marks={others} />}
      {clients.length === 0 ? (
        <Empty title={texts.noClients(environment)} why={texts.noClientsWhy} />
      ) : (
        <ClientTable clients={clients} markOf={markOf} onOpen={({ id }) => setOpenedId(id)} />
      )}
      {opened && (
        <ClientDialog
          key={opened.id}
          person={person}
          client={opened}
          mark={markOf(opened)}
          onClose={() => setOpenedId(undefined)}
        />
      )}
    </>
  );
}

/** Sessions of programs that came with a token of the person, and so are not clients of their own. */
function OtherMarks({ marks }: { readonly marks: readonly ListedMark[] }) {
  const texts = useAccessTexts();
  return (
    <Notice kind="warning" title={texts.otherMarks}>
      <ul>
        {marks.map(({ id, client, clientName, markedAt, readCount }) => (
          <li key={id}>
            <bdi>{client === '' ? texts.tokenPrograms : (clientName ?? client)}</bdi>:{' '}
            {texts.marked(String(readCount), timeText(markedAt))}
          </li>
        ))}
      </ul>
      <p>
        <a href={assistantsPage}>{texts.answerThere}</a>
      </p>
    </Notice>
  );
}

interface ClientTableProps {
  readonly clients: readonly McpClient[];
  readonly markOf: (client: McpClient) => ListedMark | undefined;
  readonly onOpen: (client: McpClient) => void;
}

function ClientTable({ clients, markOf, onOpen }: ClientTableProps) {
  const texts = useAccessTexts();
  const { columns } = texts;
  return (
    <Table titles={[columns.program, columns.person, columns.letIn, columns.lastToken, columns.may]}>
      {clients.map((client) => (
        <tr key={client.id}>
          <th scope="row">
            <button type="button" className={look.open} onClick={() => onOpen(client)}>
              <bdi>{nameOfClient(client, texts)}</bdi>
            </button>
            {markOf(client) && <div className={styles['marked']}>{texts.isMarked}</div>}
          </th>
          <td>
            <bdi>{client.person.name}</bdi>
          </td>
          <td>{timeText(client.createdAt)}</td>
          <td>{client.lastTokenAt === null ? texts.never : timeText(client.lastTokenAt)}</td>
          <td>
            {client.scopes.map((scope) => texts.mcpScopes[scope]).join(', ')}
            {client.inWords.length > 0 && <div className={look.small}>{texts.limited}</div>}
          </td>
        </tr>
      ))}
    </Table>
  );
}
