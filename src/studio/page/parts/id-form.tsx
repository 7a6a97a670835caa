import { addressOf } from '../base/address.ts';
import { goTo } from '../base/place.tsx';

/** Asks for the id of a node, and goes to it. */
export function IdForm({ id, to }: { id: string; to: string }) {
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget).get('id');
        if (typeof given === 'string' && given !== '') goTo(addressOf(to, { id: given }));
      }}
    >
      <label>
        Node id
        <input key={id} name="id" defaultValue={id} required autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit">Go</button>
    </form>
  );
}
