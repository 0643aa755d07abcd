import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, Buttons, Dialog } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { rightsQuery } from '../model/rights.ts';
import { ChartDialog } from './chart-form.tsx';
import { ReviewDialog, type RightsDraft } from './review-dialog.tsx';
import { withChart, withTeams } from './team-draft.ts';

interface NewChartProps {
  readonly environment: string;
  /** The collections of the schema that the person sees. */
  readonly known: readonly string[];
  readonly onClose: () => void;
}

/** Adds a chart over records to the rights: a form, and the same review as on the page of the rights. */
export function NewChart({ environment, known, onClose }: NewChartProps) {
  const { rights: messages, close } = useMessages();
  const { data: rights } = useSuspenseQuery(rightsQuery({ environment }));
  const [draft, setDraft] = useState<RightsDraft>();
  if (!rights.document) {
    return (
      <Dialog title={messages.addChart} onClose={onClose}>
        <p>{messages.noRightsNoChart}</p>
        <p>
          <Link to="/$environment/rights" params={{ environment }}>
            {messages.open}
          </Link>
        </p>
        <Buttons>
          <Button onClick={onClose}>{close}</Button>
        </Buttons>
      </Dialog>
    );
  }
  if (draft) return <ReviewDialog environment={environment} draft={draft} onSaved={onClose} onClose={onClose} />;
  // Teams are named with the first chart, so that none of them loses what it sees.
  const document = rights.document.teams
    ? rights.document
    : withTeams(
        rights.document,
        rights.teams.map(({ name }) => name),
      );
  return (
    <ChartDialog
      environment={environment}
      known={known}
      teams={Object.keys(document.teams ?? {})}
      {...(rights.document.teams ? {} : { note: messages.beginTeamsWhy })}
      onTake={(chart, teams) =>
        setDraft({
          document: teams.reduce((next, team) => withChart(next, chart, team, true), document),
          base: rights.revision,
        })
      }
      onClose={onClose}
    />
  );
}
