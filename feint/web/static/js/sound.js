// A few short tones, made here; off unless somebody switches them on.

import { setting } from "./settings.js";

const TONES = { turn: [[660, 0.09]], lay: [[220, 0.05]], call: [[330, 0.1], [440, 0.1]], lie: [[300, 0.12], [200, 0.2]], truth: [[440, 0.1], [660, 0.16]], end: [[440, 0.1], [550, 0.1], [660, 0.2]] };
let audio = null;

/** Play one of the tones by name. */
export function sound(name) {
  if (!setting("sound") || !TONES[name]) return;
  audio ??= new AudioContext();
  let at = audio.currentTime;
  for (const [pitch, length] of TONES[name]) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length);
    at += length;
  }
}
