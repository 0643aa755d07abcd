import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PermissionFile } from '#contracts/permission-file';
import { Button, Buttons, Dialog } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { rightsQuery } from '../model/rights.ts';
import { collectionQuery, listedChartsQuery } from '../model/schema.ts';
import { draftOf, recordChartFrom } from './chart-draft.ts';
import { ChartDialog } from './chart-form.tsx';
import { ReviewDialog, type RightsDraft } from './review-dialog.tsx';
import { type Chart, withChart, withTeams } from './team-draft.ts';

interface NewChartProps {
  readonly environment: string;
  /** The collections of the schema that the person sees. */
  readonly known: readonly string[];
  /** The chart that is changed, or removed. */
  readonly changed?: ChangedChart;
  readonly onClose: () => void;
}

/** A chart of the rights, and what somebody wants of it. */
export interface ChangedChart {
  readonly chart: Chart;
  readonly teams: readonly string[];
  readonly isRemoved: boolean;
}

/** Adds a chart over records to the rights, changes or removes one: a form, and the same review as on the page of the rights. */
export function ChangeCharts({ environment, known, changed, onClose }: NewChartProps) {
  const { rights: messages, close } = useMessages();
  const { data: rights } = useSuspenseQuery(rightsQuery({ environment }));
  const of = changed && recordChartFrom(changed.chart)?.collection;
  const { data: collection } = useQuery({
    ...collectionQuery({ environment }, of ?? ''),
    enabled: of !== undefined && known.includes(of),
  });
  const [draft, setDraft] = useState<RightsDraft>();
  const client = useQueryClient();
  const saved = () => {
    void client.invalidateQueries({ queryKey: listedChartsQuery({ environment }).queryKey });
    onClose();
  };
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
  const without = (document: PermissionFile) =>
    changed?.teams.reduce((next, team) => withChart(next, changed.chart, team, false), document) ?? document;
  const reviewed = changed?.isRemoved ? { document: without(rights.document), base: rights.revision } : draft;
  if (reviewed) {
    return (
      <ReviewDialog
        environment={environment}
        draft={reviewed}
        isUnsaved={draft !== undefined}
        onSaved={saved}
        onClose={onClose}
      />
    );
  }
  // Teams are named with the first chart, so that none of them loses what it sees.
  const document = rights.document.teams
    ? rights.document
    : withTeams(
        rights.document,
        rights.teams.map(({ name }) => name),
      );
  const begun = changed && recordChartFrom(changed.chart);
  if (begun && known.includes(begun.collection) && !collection) return null;
  return (
    <ChartDialog
      environment={environment}
      known={known}
      teams={Object.keys(document.teams ?? {})}
      {...(begun && changed ? { begun: { draft: draftOf(begun, collection), teams: changed.teams } } : {})}
      {...(rights.document.teams ? {} : { note: messages.beginTeamsWhy })}
      onTake={(chart, teams) =>
        setDraft({
          document: teams.reduce((next, team) => withChart(next, chart, team, true), without(document)),
          base: rights.revision,
        })
      }
      onClose={onClose}
    />
  );
}
