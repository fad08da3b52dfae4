/** The texts of <laurel-board> in other languages, by the English ones. */
export default {
  de: {
    Rank: "Rang",
    Player: "Spieler",
    guest: "Gast",
    "No results yet.": "Noch keine Ergebnisse.",
    "There is no board “{name}” at {site}.": "Auf {site} gibt es keine Rangliste „{name}“.",
    "The board cannot be read at the moment.": "Die Rangliste kann gerade nicht gelesen werden.",
  },
  es: {
    Rank: "Puesto",
    Player: "Jugador",
    guest: "invitado",
    "No results yet.": "Aún no hay resultados.",
    "There is no board “{name}” at {site}.": "En {site} no existe la clasificación «{name}».",
    "The board cannot be read at the moment.": "La clasificación no se puede leer en este momento.",
  },
  fr: {
    Rank: "Rang",
    Player: "Joueur",
    guest: "invité",
    "No results yet.": "Pas encore de résultats.",
    "There is no board “{name}” at {site}.": "Il n’y a pas de classement « {name} » sur {site}.",
    "The board cannot be read at the moment.": "Le classement est illisible pour le moment.",
  },
  vi: {
    Rank: "Hạng",
    Player: "Người chơi",
    guest: "khách",
    "No results yet.": "Chưa có kết quả.",
    "There is no board “{name}” at {site}.": "Không có bảng “{name}” tại {site}.",
    "The board cannot be read at the moment.": "Hiện không đọc được bảng này.",
  },
  zh: {
    Rank: "名次",
    Player: "选手",
    guest: "游客",
    "No results yet.": "暂无结果。",
    "There is no board “{name}” at {site}.": "{site} 上没有排行榜“{name}”。",
    "The board cannot be read at the moment.": "目前无法读取此排行榜。",
  },
};
