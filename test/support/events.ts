/** One event of a stream of Server-Sent Events, or a comment. */
export interface SentEvent {
  /** `:` for a comment. */
  type: string;
  id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own shape
  data?: any;
}

/** The events of an answer, until it ends. */
export async function* eventsOf(response: Response): AsyncGenerator<SentEvent, void, undefined> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield eventOf(text.slice(0, end));
      text = text.slice(end + 2);
    }
  }
}

function eventOf(block: string): SentEvent {
  if (block.startsWith(':')) return { type: ':' };
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  ) as { event: string; id?: string; data: string };
  return { type: fields.event, ...(fields.id !== undefined && { id: fields.id }), data: JSON.parse(fields.data) };
}
