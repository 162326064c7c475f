/* The map of the bank: up to some 100,000 points that pan and zoom, drawn by WebGL, or by a 2D canvas where there is
   none. What is drawn in which colour stands in the page's legend; where the points lie comes in one binary answer
   (questionbank/bank/map_selectors.py, points_to_bytes). Nothing is drawn unless something changed. */

const GREY = 8;
const FAINT = 9;
const HIDDEN = 255;
const UNKNOWN = 255;
const BANDS = 5;
const CELLS = 128;
const SPAN = 65535;
const MAX_ZOOM = 64;
const REACH = 14; // pixels around the pointer in which a point is meant
const LISTED = 12; // questions of a rectangle that are listed; of those under the pointer half as many

/* --- the points ------------------------------------------------------------------------------------------------ */

function readPoints(buffer) {
  const header = new DataView(buffer);
  if (header.getUint32(0) !== 0x4b4d4150) throw new Error("not a map");
  const count = header.getUint32(4, true);
  const levels = header.getUint32(8, true);
  const concepts = [];
  for (let level = 0; level < levels; level++) {
    concepts.push(new Uint32Array(buffer, 12 + 4 * count * (1 + level), count));
  }
  const at = 12 + 4 * count * (1 + levels);
  return {
    count,
    ids: new Uint32Array(buffer, 12, count),
    concepts,
    places: new Uint16Array(buffer, at, 2 * count),
    difficulties: new Uint8Array(buffer, at + 4 * count, count),
  };
}

/* A grid of cells, each with its points: what lies near the pointer is found among a few hundred. */
function makeGrid(places, count) {
  const starts = new Uint32Array(CELLS * CELLS + 1);
  const cellOf = new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    cellOf[i] = (places[2 * i + 1] >> 9) * CELLS + (places[2 * i] >> 9);
    starts[cellOf[i] + 1]++;
  }
  for (let cell = 0; cell < CELLS * CELLS; cell++) starts[cell + 1] += starts[cell];
  const next = starts.slice();
  const members = new Uint32Array(count);
  for (let i = 0; i < count; i++) members[next[cellOf[i]]++] = i;
  return { starts, members };
}

/* Which colour and shape each point has, and in which order they are drawn: the faint ones first. */
function classify(points, settings) {
  const kinds = new Uint8Array(points.count);
  const { colours, rest, level, within, withinLevel } = settings;
  for (let i = 0; i < points.count; i++) {
    if (within && points.concepts[withinLevel - 1][i] !== within) {
      kinds[i] = FAINT;
      continue;
    }
    const value = level ? points.concepts[level - 1][i] : band(points.difficulties[i]);
    kinds[i] = colours.get(value) ?? rest;
  }
  const order = new Uint32Array(points.count);
  let drawn = 0;
  let named = 0;
  for (const stage of [FAINT, GREY, 0]) {
    for (let i = 0; i < points.count; i++) {
      if (stage === 0 ? kinds[i] < GREY : kinds[i] === stage) order[drawn++] = i;
    }
    if (stage === GREY) named = drawn;
  }
  return { kinds, order: order.subarray(0, drawn), named: drawn - named };
}

function band(difficulty) {
  return difficulty === UNKNOWN ? -1 : Math.min(BANDS - 1, Math.floor((difficulty * BANDS) / 100));
}

/* --- drawing --------------------------------------------------------------------------------------------------- */

const VERTEX = `#version 300 es
in vec2 place;
in float kind;
uniform vec2 scale;
uniform vec2 offset;
uniform float size;
flat out int shape;
flat out vec4 colour;
uniform vec4 palette[10];
void main() {
  int number = int(kind);
  gl_Position = vec4((place * 2.0 - 1.0) * scale + offset, 0.0, 1.0);
  gl_PointSize = number > 7 ? size * 0.75 : size;
  colour = palette[number];
  shape = number > 7 ? 0 : number % 4;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
flat in int shape;
flat in vec4 colour;
uniform float size;
out vec4 result;
void main() {
  vec2 p = gl_PointCoord * 2.0 - 1.0;
  float edge = length(p) - 1.0;
  if (shape == 1) edge = max(abs(p.x), abs(p.y)) - 0.86;
  if (shape == 2) edge = max(abs(p.x) * 1.8 - p.y * 0.9 - 0.9, p.y - 0.9);
  if (shape == 3) edge = abs(p.x) + abs(p.y) - 1.0;
  float alpha = colour.a * (1.0 - smoothstep(-2.0 / size, 0.0, edge));
  if (alpha < 0.02) discard;
  result = vec4(colour.rgb * alpha, alpha);
}`;

function hasGraphicsCard() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const details = gl.getExtension("WEBGL_debug_renderer_info");
  const name = details ? gl.getParameter(details.UNMASKED_RENDERER_WEBGL) : "";
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

class WebGlPainter {
  constructor(canvas, gl) {
    this.canvas = canvas;
    this.gl = gl;
    const program = gl.createProgram();
    for (const [type, source] of [
      [gl.VERTEX_SHADER, VERTEX],
      [gl.FRAGMENT_SHADER, FRAGMENT],
    ]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "");
    gl.useProgram(program);
    this.uniforms = Object.fromEntries(
      ["scale", "offset", "size", "palette"].map((name) => [name, gl.getUniformLocation(program, name)]),
    );
    this.places = this.attribute(gl.getAttribLocation(program, "place"), 2, gl.UNSIGNED_SHORT, true);
    this.kinds = this.attribute(gl.getAttribLocation(program, "kind"), 1, gl.UNSIGNED_BYTE, false);
    this.order = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.order);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  attribute(location, size, type, normalised) {
    const buffer = this.gl.createBuffer();
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.enableVertexAttribArray(location);
    this.gl.vertexAttribPointer(location, size, type, normalised, 0, 0);
    return buffer;
  }

  load(points, { kinds, order }) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.bufferData(gl.ARRAY_BUFFER, points.places, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.kinds);
    gl.bufferData(gl.ARRAY_BUFFER, kinds, gl.STATIC_DRAW);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, order, gl.STATIC_DRAW);
    this.drawn = order.length;
  }

  paint(view, palette, size) {
    const { gl, canvas, uniforms } = this;
    const { width, height } = canvas;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const [x, y] = [(2 * view.unit) / width, (2 * view.unit) / height];
    gl.uniform2f(uniforms.scale, x, y);
    gl.uniform2f(uniforms.offset, -view.x * x, -view.y * y);
    gl.uniform1f(uniforms.size, size);
    gl.uniform4fv(uniforms.palette, palette.flatMap(([r, g, b, a]) => [r / 255, g / 255, b / 255, a]));
    gl.drawElements(gl.POINTS, this.drawn, gl.UNSIGNED_INT, 0);
  }
}

/* Writes the pixels of each point by itself: quicker than a hundred thousand shapes of a canvas, and than WebGL where
   the processor has to do what a graphics card does. */
class PixelPainter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
  }

  load(points, { kinds, order }) {
    Object.assign(this, { places: points.places, kinds, order });
  }

  paint(view, palette, size) {
    const { width, height } = this.canvas;
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = this.context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    const { pixels, places, kinds, order } = this;
    pixels.fill(0);
    const colours = Uint32Array.from(palette, ([r, g, b, a]) => (Math.round(a * 255) << 24) | (b << 16) | (g << 8) | r);
    const stamps = [0, 1, 2, 3].map((shape) => stamp(shape, Math.max(2, Math.round(size)), width));
    const reach = Math.ceil(size / 2) + 1;
    const factor = (2 * view.unit) / SPAN;
    const left = width / 2 - (1 + view.x) * view.unit;
    const top = height / 2 + (1 + view.y) * view.unit;
    for (let place = 0; place < order.length; place++) {
      const i = order[place];
      const x = (left + places[2 * i] * factor) | 0;
      const y = (top - places[2 * i + 1] * factor) | 0;
      if (x < reach || y < reach || x >= width - reach || y >= height - reach) continue;
      const kind = kinds[i];
      const offsets = stamps[kind > 7 ? 0 : kind & 3];
      const colour = colours[kind];
      const at = y * width + x;
      for (let pixel = 0; pixel < offsets.length; pixel++) pixels[at + offsets[pixel]] = colour;
    }
    this.context.putImageData(this.image, 0, 0);
  }
}

/* Where the pixels of a shape lie, counted from its middle in an image of a width. */
function stamp(shape, size, width) {
  const offsets = [];
  const from = -Math.floor(size / 2);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const [x, y] = [((column + 0.5) / size) * 2 - 1, ((row + 0.5) / size) * 2 - 1];
      const inside = [x * x + y * y <= 1.05, true, Math.abs(x) <= (y + 1.15) / 2, Math.abs(x) + Math.abs(y) <= 1.05];
      if (inside[shape]) offsets.push((from + row) * width + from + column);
    }
  }
  return Int32Array.from(offsets);
}

/* --- the page -------------------------------------------------------------------------------------------------- */

class BankMap {
  constructor(root) {
    this.root = root;
    this.canvas = root.querySelector("[data-map-points]");
    this.overlay = root.querySelector("[data-map-overlay]");
    this.marks = this.overlay.getContext("2d");
    this.tip = root.querySelector("[data-map-tip]");
    this.list = document.querySelector("[data-map-list]");
    this.status = document.querySelector("[data-map-status]");
    this.texts = new Map(); // id of a question -> its beginning
    this.view = { x: 0, y: 0, zoom: 1, unit: 1 };
    this.pointers = new Map();
    this.found = -1;
    this.byKeyboard = false;
    this.dirty = false; // a frame is asked for
    this.moving = false; // and the points are to be drawn in it
  }

  async start() {
    const answer = await fetch(this.root.dataset.source, { credentials: "same-origin" });
    if (!answer.ok) throw new Error(String(answer.status));
    this.points = readPoints(await answer.arrayBuffer());
    this.grid = makeGrid(this.points.places, this.points.count);
    this.groups = classify(this.points, this.settings());
    this.makePainter();
    this.listen();
    this.readColours();
    this.resize();
    this.root.dataset.ready = this.painter instanceof WebGlPainter ? "webgl" : "2d";
  }

  settings() {
    const { level, within, withinLevel, rest } = this.root.dataset;
    const colours = new Map();
    for (const row of document.querySelectorAll("[data-map-value]")) {
      if (row.dataset.mapColour) colours.set(Number(row.dataset.mapValue), Number(row.dataset.mapColour));
    }
    return {
      colours,
      rest: rest === "hidden" ? HIDDEN : GREY,
      level: Number(level),
      within: Number(within),
      withinLevel: Number(withinLevel),
    };
  }

  makePainter() {
    const gl = hasGraphicsCard() ? this.canvas.getContext("webgl2", { antialias: false }) : null;
    this.painter = gl ? new WebGlPainter(this.canvas, gl) : new PixelPainter(this.canvas);
    this.painter.load(this.points, this.groups);
  }

  readColours() {
    const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    this.palette = [...this.root.querySelectorAll("[data-map-palette] > *")].map((sample, kind) => {
      probe.clearRect(0, 0, 1, 1);
      probe.fillStyle = getComputedStyle(sample).color;
      probe.fillRect(0, 0, 1, 1);
      const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, kind === FAINT ? 0.35 : kind === GREY ? 0.7 : 0.9];
    });
    this.ink = getComputedStyle(this.root).color;
    this.redraw();
  }

  /* --- what one sees --- */

  resize() {
    const box = this.canvas.getBoundingClientRect();
    this.density = Math.min(2, devicePixelRatio || 1);
    this.width = box.width;
    this.height = box.height;
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.max(1, Math.round(box.width * this.density));
      canvas.height = Math.max(1, Math.round(box.height * this.density));
    }
    this.redraw();
  }

  /* At the next frame: the points too, or only what lies over them. */
  redraw(points = true) {
    this.moving ||= points;
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame(() => {
      this.dirty = false;
      if (this.moving) {
        this.moving = false;
        this.view.unit = this.scale() * this.density;
        this.painter.paint(this.view, this.palette, this.size() * this.density);
      }
      this.mark();
    });
  }

  /* Pixels of the page for one unit of the map, which reaches from -1 to 1. */
  scale() {
    return (Math.min(this.width, this.height) / 2) * 0.94 * this.view.zoom;
  }

  size() {
    const many = Math.max(1, this.groups.named || this.points.count);
    const usual = Math.min(9, Math.max(3, 400 / Math.sqrt(many)));
    return Math.min(16, usual * this.view.zoom ** 0.35);
  }

  mark() {
    const { marks, density } = this;
    marks.setTransform(density, 0, 0, density, 0, 0);
    marks.clearRect(0, 0, this.width, this.height);
    marks.strokeStyle = this.ink;
    marks.lineWidth = 2;
    if (this.byKeyboard) {
      const [x, y] = [this.width / 2, this.height / 2];
      marks.beginPath();
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        marks.moveTo(x + dx * 6, y + dy * 6);
        marks.lineTo(x + dx * 16, y + dy * 16);
      }
      marks.stroke();
    }
    if (this.found >= 0) {
      const [x, y] = this.onPage(this.found);
      marks.beginPath();
      marks.arc(x, y, this.size() / 2 + 4, 0, 2 * Math.PI);
      marks.stroke();
    }
    if (this.frame) {
      const { x, y, toX, toY } = this.frame;
      marks.setLineDash([5, 4]);
      marks.strokeRect(Math.min(x, toX), Math.min(y, toY), Math.abs(toX - x), Math.abs(toY - y));
      marks.setLineDash([]);
    }
  }

  onPage(i) {
    const scale = this.scale();
    const { places } = this.points;
    return [
      this.width / 2 + ((places[2 * i] / SPAN) * 2 - 1 - this.view.x) * scale,
      this.height / 2 - ((places[2 * i + 1] / SPAN) * 2 - 1 - this.view.y) * scale,
    ];
  }

  onMap(x, y) {
    const scale = this.scale();
    return [this.view.x + (x - this.width / 2) / scale, this.view.y - (y - this.height / 2) / scale];
  }

  /* --- what lies where --- */

  /* Points within a rectangle of the page, the nearest to its middle first. */
  within(left, top, right, bottom) {
    const [fromX, toY] = this.onMap(left, top).map((value) => ((value + 1) / 2) * SPAN);
    const [toX, fromY] = this.onMap(right, bottom).map((value) => ((value + 1) / 2) * SPAN);
    const [middleX, middleY] = [(fromX + toX) / 2, (fromY + toY) / 2];
    const cell = (value) => Math.min(CELLS - 1, Math.max(0, value >> 9));
    const { places } = this.points;
    const hits = [];
    for (let row = cell(fromY); row <= cell(toY); row++) {
      for (let column = cell(fromX); column <= cell(toX); column++) {
        const at = row * CELLS + column;
        for (let place = this.grid.starts[at]; place < this.grid.starts[at + 1]; place++) {
          const i = this.grid.members[place];
          const [x, y] = [places[2 * i], places[2 * i + 1]];
          if (this.groups.kinds[i] > GREY || x < fromX || x > toX || y < fromY || y > toY) continue;
          hits.push([(x - middleX) ** 2 + (y - middleY) ** 2, i]);
        }
      }
    }
    return hits.sort((one, other) => one[0] - other[0]).map((hit) => hit[1]);
  }

  near(x, y, reach) {
    return this.within(x - reach, y - reach, x + reach, y + reach);
  }

  /* --- moving --- */

  pan(dx, dy) {
    const scale = this.scale();
    this.view.x = Math.min(1, Math.max(-1, this.view.x - dx / scale));
    this.view.y = Math.min(1, Math.max(-1, this.view.y + dy / scale));
    this.redraw();
  }

  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const [mapX, mapY] = this.onMap(x, y);
    this.view.zoom = Math.min(MAX_ZOOM, Math.max(1, this.view.zoom * factor));
    const [afterX, afterY] = this.onMap(x, y);
    this.view.x = Math.min(1, Math.max(-1, this.view.x + mapX - afterX));
    this.view.y = Math.min(1, Math.max(-1, this.view.y + mapY - afterY));
    this.redraw();
  }

  whole() {
    Object.assign(this.view, { x: 0, y: 0, zoom: 1 });
    this.redraw();
  }

  /* --- telling what is there --- */

  point(i) {
    this.found = i;
    this.canvas.classList.toggle("map-on-point", i >= 0);
    this.tip.hidden = i < 0;
    if (i >= 0) {
      const [x, y] = this.onPage(i);
      this.tip.replaceChildren(...this.nameOf(i));
      this.tip.style.maxWidth = `${Math.min(320, this.width - 24)}px`;
      const left = Math.min(Math.max(8, x + 12), this.width - this.tip.offsetWidth - 8);
      const above = y + 20 + this.tip.offsetHeight > this.height;
      this.tip.style.transform = `translate(${left}px, ${above ? y - 14 - this.tip.offsetHeight : y + 14}px)`;
    }
    this.redraw(false);
  }

  /* The question's number, and its beginning where the list has held it. */
  nameOf(i) {
    const id = this.points.ids[i];
    const name = document.createElement("b");
    name.textContent = this.root.dataset.question.replace("0", id);
    return this.texts.has(id) ? [name, " ", this.texts.get(id).cloneNode(true)] : [name];
  }

  /* Fetches the questions for the list beside the map, after a moment of rest. */
  show(indices, { most = LISTED / 2, announce = false } = {}) {
    clearTimeout(this.waiting);
    const ids = indices.slice(0, most).map((i) => this.points.ids[i]);
    const key = ids.join();
    if (!ids.length) return;
    if (key === this.shown) {
      if (announce) this.announce();
      return;
    }
    this.waiting = setTimeout(async () => {
      this.asking?.abort();
      this.asking = new AbortController();
      const query = new URLSearchParams(ids.map((id) => ["id", id]));
      query.set("total", indices.length);
      try {
        const answer = await fetch(`${this.root.dataset.questions}?${query}`, {
          credentials: "same-origin",
          signal: this.asking.signal,
        });
        if (answer.redirected) location.reload(); /* the session ended */
        if (!answer.ok) return;
        this.list.innerHTML = await answer.text();
      } catch (error) {
        if (error.name !== "AbortError") throw error;
        return;
      }
      this.shown = key;
      for (const item of this.list.querySelectorAll("[data-question]")) {
        this.texts.set(Number(item.dataset.question), item.querySelector("[data-text]"));
      }
      if (this.found >= 0) this.point(this.found);
      if (announce) this.announce();
    }, 150);
  }

  announce() {
    if (this.found >= 0) this.status.replaceChildren(...this.nameOf(this.found));
  }

  lookAt(x, y) {
    const near = this.near(x, y, REACH);
    if ((near[0] ?? -1) !== this.found) this.point(near[0] ?? -1);
    if (near.length && !this.selected) this.show(near);
  }

  lookAtMiddle() {
    const near = this.near(this.width / 2, this.height / 2, 4 * REACH);
    this.point(near[0] ?? -1);
    if (near.length) return this.show(near, { announce: true });
    clearTimeout(this.waiting);
    this.shown = "";
    this.status.textContent = this.list.textContent = this.root.dataset.nothing;
  }

  open(i, elsewhere) {
    const address = this.root.dataset.address.replace("0", this.points.ids[i]);
    if (elsewhere) window.open(address, "_blank", "noopener");
    else location.assign(address);
  }

  select(frame) {
    const [left, right] = [Math.min(frame.x, frame.toX), Math.max(frame.x, frame.toX)];
    const [top, bottom] = [Math.min(frame.y, frame.toY), Math.max(frame.y, frame.toY)];
    const hits = this.within(left, top, right, bottom);
    this.selected = hits.length > 0;
    this.shown = "";
    this.show(hits, { most: LISTED });
  }

  /* --- what one does --- */

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => !this.pointers.size && !this.byKeyboard && this.point(-1));
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const [x, y] = this.place(event);
        this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), x, y);
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focus", () => {
      this.byKeyboard = canvas.matches(":focus-visible");
      if (this.byKeyboard) this.lookAtMiddle();
    });
    canvas.addEventListener("blur", () => {
      this.byKeyboard = false;
      this.point(-1);
    });
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.makePainter();
      this.redraw();
    });
    const acts = { in: () => this.zoomBy(1.6), out: () => this.zoomBy(1 / 1.6), whole: () => this.whole() };
    for (const button of this.root.querySelectorAll("[data-map-act]")) {
      button.addEventListener("click", acts[button.dataset.mapAct]);
    }
    new ResizeObserver(() => this.resize()).observe(canvas);
    new MutationObserver(() => this.readColours()).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.readColours());
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  down(event) {
    if (event.button) return;
    this.byKeyboard = false;
    const [x, y] = this.place(event);
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x, y });
    this.moved = 0;
    if (event.shiftKey) this.frame = { x, y, toX: x, toY: y };
  }

  move(event) {
    const [x, y] = this.place(event);
    const held = this.pointers.get(event.pointerId);
    if (!held) {
      this.byKeyboard = false;
      this.lookAt(x, y);
      return;
    }
    this.moved += Math.hypot(x - held.x, y - held.y);
    if (this.frame) {
      Object.assign(this.frame, { toX: x, toY: y });
      this.redraw(false);
    } else if (this.pointers.size === 2) {
      this.pinch(event.pointerId, x, y);
    } else if (this.moved > 3) {
      this.tip.hidden = true;
      this.pan(x - held.x, y - held.y);
    }
    Object.assign(held, { x, y });
  }

  pinch(id, x, y) {
    const held = this.pointers.get(id);
    const other = [...this.pointers].find(([key]) => key !== id)[1];
    const before = Math.hypot(held.x - other.x, held.y - other.y);
    const after = Math.hypot(x - other.x, y - other.y);
    this.pan((x - held.x) / 2, (y - held.y) / 2);
    if (before && after) this.zoomBy(after / before, (x + other.x) / 2, (y + other.y) / 2);
  }

  up(event) {
    const held = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    const frame = this.frame;
    this.frame = null;
    if (!held || event.type === "pointercancel") return this.redraw(false);
    if (frame && this.moved > 3) {
      this.select(frame);
      return this.redraw(false);
    }
    if (this.moved > 3) return;
    const near = this.near(held.x, held.y, event.pointerType === "touch" ? 2 * REACH : REACH);
    this.selected = false;
    if (!near.length) return this.point(-1);
    if (event.pointerType === "touch" && near[0] !== this.found) {
      this.point(near[0]); /* a finger has no hover: the first tap names the question, the second opens it */
      this.show(near);
    } else this.open(near[0], event.ctrlKey || event.metaKey);
  }

  key(event) {
    const step = event.shiftKey ? 200 : 60;
    const acts = {
      ArrowLeft: () => this.pan(step, 0),
      ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step),
      ArrowDown: () => this.pan(0, -step),
      "+": () => this.zoomBy(1.6),
      "=": () => this.zoomBy(1.6),
      "-": () => this.zoomBy(1 / 1.6),
      0: () => this.whole(),
      Home: () => this.whole(),
      Enter: () => this.found >= 0 && this.open(this.found, false),
    };
    if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.byKeyboard = true;
    this.selected = false;
    acts[event.key]();
    if (event.key !== "Enter") this.lookAtMiddle();
  }
}

const root = document.querySelector("[data-map]");
if (root) {
  new BankMap(root).start().catch(() => {
    root.querySelector("[data-map-problem]").hidden = false;
  });
}
