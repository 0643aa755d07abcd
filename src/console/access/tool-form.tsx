import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Button, Buttons, Failure, look } from '../design/controls.tsx';
import { useOnce } from '../design/use-stable.ts';
import { useAccessTexts } from './access-texts.ts';
import { ToolAnswerView } from './tool-answer.tsx';
import { type ArgumentProblem, argumentsOf, readForm, readJson, type ToolArgument, textsOf } from './tool-arguments.ts';
import { callTool, type MadeCall, readAnswer, type Tool, type ToolArguments } from './tool-calls.ts';

interface ToolFormProps {
  readonly environment: string;
  readonly tool: Tool;
  /** What the form begins with. */
  readonly sent: ToolArguments;
  readonly onCalled: (call: Omit<MadeCall, 'id'>) => void;
}

/** One tool: what it does, its arguments as a form or as JSON, and what it answered. A tool that writes asks first. */
export function ToolForm(props: ToolFormProps) {
  const { tool, sent: begun } = props;
  const texts = useAccessTexts();
  const { inputSchema: schema } = tool;
  const [fields, setFields] = useState(() => textsOf(schema, begun));
  const [json, setJson] = useState<string>();
  const [isTried, setTried] = useState(false);
  const { calling, asking, callOnce, run, confirm, cancel } = useCalls(props);
  const { sent, problems } = json === undefined ? readForm(schema, fields) : readJson(schema, json);
  const change = () => {
    setFields(textsOf(schema, sent));
    setJson(json === undefined ? JSON.stringify(sent, null, 2) : undefined);
  };
  return (
    <form
      className={look.form}
      aria-label={tool.name}
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (problems.length === 0) run(sent);
      }}
    >
      <p>{tool.description}</p>
      {json === undefined ? (
        <ArgumentFields tool={tool} texts={fields} problems={isTried ? problems : []} onChange={setFields} />
      ) : (
        <JsonField text={json} problems={isTried ? problems : []} onChange={setJson} />
      )}
      <Buttons>
        <Button onClick={change}>{json === undefined ? texts.asJson : texts.asForm}</Button>
        <Button look="primary" type="submit" disabled={calling.isPending}>
          {texts.run}
        </Button>
      </Buttons>
      {calling.error && <Failure error={calling.error} />}
      {calling.data && <ToolAnswerView answer={calling.data.answer} onConfirm={confirm} />}
      {asking && (
        <ConfirmDialog
          title={texts.runOf(tool.name)}
          why={texts.runWhy}
          label={texts.run}
          running={{ error: calling.error, isPending: calling.isPending, mutate: () => callOnce(asking) }}
          onClose={cancel}
        />
      )}
    </form>
  );
}

/** The calls of one tool: the last one, and the one that waits for a yes. */
function useCalls({ environment, tool, onCalled }: ToolFormProps) {
  const [asking, setAsking] = useState<ToolArguments>();
  const calling = useMutation({
    mutationFn: async (sent: ToolArguments) => {
      const at = new Date().toISOString();
      const note = (isError: boolean) => onCalled({ tool: tool.name, sent, at, isError });
      try {
        const answer = readAnswer(await callTool({ environment }, tool.name, sent));
        note(answer.isError);
        return { answer, sent };
      } catch (error) {
        note(true);
        throw error;
      }
    },
    onSettled: () => setAsking(undefined),
  });
  const callOnce = useOnce(calling.mutateAsync);
  return {
    calling,
    asking,
    callOnce,
    cancel: () => setAsking(undefined),
    run: (sent: ToolArguments) => {
      if (tool.annotations?.readOnlyHint === true) callOnce(sent);
      else setAsking(sent);
    },
    /** Make the last call again, with the confirmation that it asked for. */
    confirm: (confirmationToken: string) => {
      callOnce({ ...calling.data?.sent, confirmationToken });
    },
  };
}

interface ArgumentFieldsProps {
  readonly tool: Tool;
  readonly texts: Readonly<Record<string, string>>;
  readonly problems: readonly ArgumentProblem[];
  readonly onChange: (texts: Readonly<Record<string, string>>) => void;
}

function ArgumentFields({ tool, texts, problems, onChange }: ArgumentFieldsProps) {
  return argumentsOf(tool.inputSchema).map((argument) => (
    <ArgumentField
      key={argument.name}
      argument={argument}
      text={texts[argument.name] ?? ''}
      problem={problems.find(({ at }) => at.split('.')[0] === argument.name)}
      onChange={(text) => onChange({ ...texts, [argument.name]: text })}
    />
  ));
}

interface ArgumentFieldProps {
  readonly argument: ToolArgument;
  readonly text: string;
  readonly problem: ArgumentProblem | undefined;
  readonly onChange: (text: string) => void;
}

function ArgumentField({ argument, text, problem, onChange }: ArgumentFieldProps) {
  const texts = useAccessTexts();
  const id = useId();
  const { name, schema, isRequired } = argument;
  return (
    <div>
      <label htmlFor={id}>
        <bdi>{name}</bdi> <span className={look.small}>{isRequired ? texts.required : texts.optional}</span>
      </label>
      <ArgumentInput {...{ id, argument, text, onChange }} isInvalid={problem !== undefined} />
      <span id={`${id}-help`} className={look.small}>
        {schema.description}
      </span>
      {problem && <Problem problem={problem} />}
    </div>
  );
}

interface ArgumentInputProps extends Omit<ArgumentFieldProps, 'problem'> {
  readonly id: string;
  readonly isInvalid: boolean;
}

function ArgumentInput({ id, argument: { widget, schema }, text, isInvalid, onChange }: ArgumentInputProps) {
  const texts = useAccessTexts();
  const common = {
    id,
    className: look.input,
    value: text,
    'aria-invalid': isInvalid,
    'aria-describedby': `${id}-help`,
  };
  if (widget === 'json') {
    return <textarea {...common} rows={2} spellCheck={false} onChange={({ target }) => onChange(target.value)} />;
  }
  if (widget === 'text' || widget === 'number') {
    const mode = widget === 'number' ? 'decimal' : 'text';
    return <input {...common} inputMode={mode} autoComplete="off" onChange={({ target }) => onChange(target.value)} />;
  }
  const choices = widget === 'box' ? ['true', 'false'] : (schema.enum ?? []).map(String);
  return (
    <select {...common} onChange={({ target }) => onChange(target.value)}>
      <option value="">{texts.leftOut}</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

interface JsonFieldProps {
  readonly text: string;
  readonly problems: readonly ArgumentProblem[];
  readonly onChange: (text: string) => void;
}

function JsonField({ text, problems, onChange }: JsonFieldProps) {
  const texts = useAccessTexts();
  return (
    <label>
      {texts.arguments}
      <textarea
        className={look.input}
        rows={8}
        spellCheck={false}
        aria-invalid={problems.length > 0}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      {problems.map((problem) => (
        <Problem key={`${problem.at} ${problem.problem}`} problem={problem} />
      ))}
    </label>
  );
}

function Problem({ problem: { at, problem, wanted } }: { readonly problem: ArgumentProblem }) {
  const texts = useAccessTexts();
  return (
    <span role="alert" className={look.small}>
      <bdi>{at}</bdi> {texts.problems[problem](wanted)}
    </span>
  );
}
