/** A sentence, one with nearly the same meaning, and an unrelated one. */
export interface Triple {
  readonly anchor: string;
  readonly similar: string;
  readonly unrelated: string;
}

/** Hand-written for this example; never used to make the models. */
export const pairs: readonly Triple[] = [
  {
    anchor: "The train to the coast leaves at half past six.",
    similar: "At 6:30 a railway service departs for the seaside.",
    unrelated: "Her grandmother knits woollen socks every winter.",
  },
  {
    anchor: "Simmer the lentils until they are soft.",
    similar: "Cook the beans on low heat until tender.",
    unrelated: "The parliament postponed its vote on the budget.",
  },
  {
    anchor: "Our cat sleeps on the warm windowsill all afternoon.",
    similar: "The kitten naps by the sunny window for hours.",
    unrelated: "The compiler refuses programs with missing semicolons.",
  },
  {
    anchor: "A storm knocked down trees across the valley.",
    similar: "Heavy winds toppled many oaks in the region.",
    unrelated: "He tuned his guitar before the concert.",
  },
  {
    anchor: "I forgot the password of my mail account.",
    similar: "I can no longer log in to my email because I lost my password.",
    unrelated: "The bakery sells rye bread on Thursdays.",
  },
  {
    anchor: "The surgeon repaired the broken hip in two hours.",
    similar: "Doctors operated on the patient's fractured hip.",
    unrelated: "Tickets for the museum are cheaper on Sundays.",
  },
  {
    anchor: "Interest rates rose again this quarter.",
    similar: "The central bank has made borrowing more expensive.",
    unrelated: "A hedgehog crossed the garden at night.",
  },
  {
    anchor: "The striker scored twice in the final minutes.",
    similar: "Two late goals by the forward won the football match.",
    unrelated: "Plant the tulip bulbs before the first frost.",
  },
  {
    anchor: "Please water the plants while we are on holiday.",
    similar: "Could you look after our flowers and give them water during our vacation?",
    unrelated: "The satellite entered orbit around Mars.",
  },
  {
    anchor: "Astronomers found a planet outside our solar system.",
    similar: "A new world was discovered orbiting a distant star.",
    unrelated: "My brother repairs old bicycles.",
  },
  {
    anchor: "The judge sentenced the thief to three years in prison.",
    similar: "A court sent the burglar to jail.",
    unrelated: "Add a pinch of salt to the dough.",
  },
  {
    anchor: "The novel tells the story of two sisters in Lisbon.",
    similar: "It is a book about siblings who live in Portugal.",
    unrelated: "The engine overheats when driving uphill.",
  },
  {
    anchor: "My phone's battery runs empty by noon.",
    similar: "The charge of my mobile does not last half a day.",
    unrelated: "The choir rehearses in the old church.",
  },
  {
    anchor: "The teacher explained fractions to the children.",
    similar: "In class the pupils learned arithmetic from their instructor.",
    unrelated: "Rain is expected along the northern border.",
  },
  {
    anchor: "She bought a second-hand car last week.",
    similar: "A few days ago she purchased a used vehicle.",
    unrelated: "Whales sing to each other across the ocean.",
  },
  {
    anchor: "The hotel room was dirty and smelled of smoke.",
    similar: "Our accommodation had not been cleaned and stank of cigarettes.",
    unrelated: "The function returns the sum of its arguments.",
  },
  {
    anchor: "How do I reset my router?",
    similar: "What is the way to restart a wireless modem?",
    unrelated: "The painter prefers shades of blue.",
  },
  {
    anchor: "Bees visit the lavender to collect nectar.",
    similar: "Insects gather pollen from the purple flowers.",
    unrelated: "The lawyer signed the contract yesterday.",
  },
  {
    anchor: "The runner finished the marathon despite an injured knee.",
    similar: "Although his leg hurt, the athlete completed the long race.",
    unrelated: "The library closes for renovation in March.",
  },
  {
    anchor: "Glaciers in the Alps are shrinking every summer.",
    similar: "Mountain ice melts faster because of the warming climate.",
    unrelated: "He proposed to his girlfriend in a restaurant.",
  },
  {
    anchor: "The parcel arrived three days late and damaged.",
    similar: "My package was delivered late, and the box was broken.",
    unrelated: "The violinist studied in Vienna.",
  },
  {
    anchor: "The vaccine protects against severe illness.",
    similar: "Immunisation prevents serious cases of the disease.",
    unrelated: "The carpenter built a bookshelf of oak.",
  },
  {
    anchor: "The app crashes whenever I open a photo.",
    similar: "This software stops working when I try to view pictures.",
    unrelated: "The river freezes in January.",
  },
  {
    anchor: "The company dismissed four hundred workers.",
    similar: "Hundreds of employees of the firm lost their jobs.",
    unrelated: "Grate the cheese over the hot pasta.",
  },
  {
    anchor: "Archaeologists dug up a Roman coin near the harbour.",
    similar: "An ancient piece of money was unearthed by researchers.",
    unrelated: "The dentist recommends brushing twice a day.",
  },
  {
    anchor: "He plays the piano every evening after dinner.",
    similar: "At night, when the meal is over, he makes music on the keyboard.",
    unrelated: "The mayor opened a new bridge.",
  },
  {
    anchor: "Firefighters rescued a family from the burning house.",
    similar: "Emergency crews saved the residents of a home on fire.",
    unrelated: "The professor published a paper on grammar.",
  },
  {
    anchor: "The soup tastes bland without pepper.",
    similar: "This broth needs more spice.",
    unrelated: "The pilot delayed the flight to Oslo.",
  },
  {
    anchor: "The toddler refused to put on her shoes.",
    similar: "The little girl did not want to wear her boots.",
    unrelated: "Copper conducts electricity well.",
  },
  {
    anchor: "The election was won by the opposition party.",
    similar: "Voters chose the rival candidates over the government.",
    unrelated: "The hikers pitched their tent beside a lake.",
  },
];
